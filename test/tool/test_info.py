"""kiln info: what was detected, and the table of environment variables."""
import os
import re

import kiln


class Info(kiln.Test):
    def test_device(self):
        text = self.kiln("info", says=["Kiln, OpenCL 3.0", "compute units", "global memory", "cl_khr_icd", "cpu features"])
        self.assertRegex(text, r"images +(none|2D up to \d+ x \d+, 3D up to \d+ x \d+ x \d+, arrays of \d+)\n")
        units = len(os.sched_getaffinity(0))
        self.assertRegex(text, rf"processors +affinity mask {units}, cgroup quota ")
        self.assertRegex(text, r"kernel cache +\S+, [\d.]+ MiB in \d+ entries, at most [\d.]+")

    def test_why(self):
        self.kiln("info", says=["KILN_MAX_THREADS 1: 1 compute unit"], env={"KILN_MAX_THREADS": "1"})
        self.kiln("info", says="in memory only: no folder is set", env={"KILN_CACHE_DIR": ""})
        file = self.write("file", "")
        self.kiln("info", says=f"in memory only: {file}/cache cannot be written", env={"KILN_CACHE_DIR": file + "/cache"})

    def test_config(self):
        text = self.kiln("info", "--config", env={"KILN_WIDTH": "4"})
        self.assertRegex(text, r"KILN_WIDTH +4  \[from the environment\]")
        source = (kiln.SOURCE / "src/base/config.h").read_text()
        names = re.findall(r'"(KILN_[A-Z_]+)"', source)
        self.assertGreater(len(names), 10)
        for name in names:
            self.assertIn(name, text)

    def test_platforms(self):
        self.kiln("info", "-p", "KILN", says="Kiln, OpenCL")
        self.kiln("info", "-p", "nobody's", status=1, says="no OpenCL platform has 'nobody's' in its name")


kiln.main()
