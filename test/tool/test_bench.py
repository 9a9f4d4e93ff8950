"""kiln bench: table, JSON, comparison, failures."""
import json
import os
import pathlib
import subprocess

import kiln

GOOD = "// run: -g 1024 '[1024]=i' --bytes 8*g0 --name twice\n// expect: 0: 2*i\n" \
       "kernel void k(global float *a) { a[get_global_id(0)] *= 2; }\n"
BAD = GOOD.replace("2*i", "3*i").replace("twice", "wrong")


class Bench(kiln.Test):
    def test_list(self):
        names = self.kiln("bench", "--list").split()
        self.assertGreaterEqual(len(names), 40)
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("matmul/tiled", names)
        self.assertEqual(self.kiln("bench", "--list", "matmul").split(), [n for n in names if "matmul" in n])
        self.kiln("bench", "no such", status=1, says="no case's name contains 'no such'")

    def test_table_and_json(self):
        self.write("good.cl", GOOD)
        self.kiln("bench", "-f", self.folder, "-n", "3", "-j", "out.json", says=["good/twice", "GB/s"])
        row, = json.loads((self.folder / "out.json").read_text())
        self.assertEqual((row["kernel"], row["platform"], row["ok"], row["rounds"]), ("good/twice", "kiln", True, 3))
        self.assertGreater(row["rate"], 0)
        self.assertLessEqual(row["minimum_ms"], row["median_ms"])
        self.assertEqual(json.loads(self.kiln("bench", "-f", self.folder, "-n", "1", "-j", "-"))[0]["kernel"], "good/twice")

    def test_against(self):
        """Kiln against itself: twice the same platform, in turn."""
        self.write("good.cl", GOOD)
        text = self.kiln("bench", "-f", self.folder, "-n", "9", "-a", "Kiln", "-j", "out.json", says="geometric mean")
        self.assertIn("Kiln/kiln", text)
        rows = json.loads((self.folder / "out.json").read_text())
        self.assertEqual([row["platform"] for row in rows], ["kiln", "Kiln"])
        self.assertNotIn("ratio", rows[0])
        self.assertGreaterEqual(rows[0]["first_ms"], rows[0]["build_ms"])
        self.assertTrue(rows[1]["ratio_low"] <= rows[1]["ratio"] <= rows[1]["ratio_high"])
        self.kiln("bench", "-f", self.folder, "-a", "absent", status=1, says="no OpenCL platform has 'absent'")

    def test_markdown(self):
        """The document: machine, versions, summary, a row a case with the best of the others."""
        self.write("good.cl", GOOD)
        self.write("bad.cl", BAD)
        words = ["bench", "-f", self.folder, "-n", "9", "-a", "Kiln", "-a", "KILN", "-m", "page.md"]
        text = self.kiln(*words, status=1, says=["best of the others / kiln", "best/kiln, 95 %"])
        self.assertRegex(text, r"good/twice .* \d+\.\d\d \d+\.\d\d-\d+\.\d\d\n")
        page = (self.folder / "page.md").read_text()
        for part in ["Written on 20", "kiln bench -f", "processor: ", "cpu features: ", "| KILN | Kiln | OpenCL ",
                     "| best of the others in each case | ", "Wrong results or failed launches: bad/wrong on kiln, ",
                     "| bad/wrong | failed | | failed | failed | | |\n"]:
            self.assertIn(part, page)
        self.assertRegex(page, r"\| good/twice \| [\d.]+ \| [\d.e-]+ GB/s \| [\d.]+ \| [\d.]+ \| [\d.]+ \| [\d.]+ to [\d.]+ \|")
        self.assertRegex(page, r"From the source to the first result\n(.*\n)*\| kiln \| [\d.]+ \| [\d.]+ \| [\d.]+ \|\n")
        self.assertRegex(page, "In no case is Kiln slower|Kiln is slower than the best of the others in: good/twice")
        self.assertNotIn("Of what the machine can do", page)
        self.kiln("bench", "-f", self.folder, "-n", "1", "-m", "no/page.md", status=1, says="no/page.md cannot be written")

    def roof(self, lines):
        path = pathlib.Path(self.write("roof", f"#!/bin/sh\n[ $1 = --list ] && echo good/twice && exit\n{lines}\n"))
        path.chmod(0o755)
        return str(path)

    def test_roof(self):
        """Shares of what a program in C reaches: the fastest of its forms counts, and only for cases it knows."""
        self.write("good.cl", GOOD + GOOD.replace("twice", "other").replace("void k", "void l").replace("-g", "-k l -g"))
        words = ["bench", "-f", self.folder, "-n", "3", "-m", "page.md", "-j", "out.json", "--roof"]
        self.kiln(*words, self.roof("echo plain 2\necho streaming 1"))
        page = (self.folder / "page.md").read_text()
        self.assertRegex(page, r"\| good/twice \| [\d.e-]+ GB/s \| 8.19e-06 \| streaming \| \d+ % \|")
        self.assertNotRegex(page, r"good/other \| .*streaming")
        row, = [row for row in json.loads((self.folder / "out.json").read_text()) if row["platform"] == "C"]
        self.assertEqual((row["kernel"], row["median_ms"], row["form"]), ("good/twice", 1000, "streaming"))
        self.kiln(*words, self.roof("echo plain"), says="'plain' is no form and its seconds")
        self.kiln(*words, self.roof(":"), says="good/twice prints no time")
        self.kiln(*words, self.roof("exit 3"), says="roof good/twice ended with an error")

    def test_roof_program(self):
        """Every case of bench/roof is one of the benchmark's, and has a time."""
        roof = os.environ.get("KILN_ROOF")
        if not roof: self.skipTest("built without OpenMP")
        cases = subprocess.run([roof, "--list"], capture_output=True, text=True, check=True).stdout.split()
        self.assertLessEqual(set(cases), set(self.kiln("bench", "--list").split()))
        for case in cases:
            for line in subprocess.run([roof, case], capture_output=True, text=True, check=True).stdout.splitlines():
                self.assertGreater(float(line.split()[1]), 0)
        self.assertEqual(subprocess.run([roof, "no such"], capture_output=True).returncode, 2)

    def test_math(self):
        """Functions per element: rows of both types, checked against the libraries that are there."""
        names = self.kiln("bench", "math", "--list").split()
        self.assertIn("atan2", names)
        self.assertEqual(len(names), len(set(names)))
        for row, kind in zip(json.loads(self.kiln("bench", "math", "exp", "-n", "3", "-j", "-")), ("float", "double")):
            self.assertEqual((row["function"], row["type"]), ("exp", kind))
            self.assertGreater(row["kiln"], 0)
            self.assertGreater(row["libmvec"], 0)
        self.kiln("bench", "math", "pow", "-n", "1", says=["best/kiln", "libmvec"])
        self.kiln("bench", "math", "sine", status=1, says="'sine' is not among the functions")
        self.kiln("bench", "math", "sin", "cos", status=2)

    def test_same_code(self):
        """A kernel's code is the same whether others were compiled before it or it has a process of its own."""
        self.write("good.cl", GOOD)
        for name in ("control", "dct", "histogram", "math"):
            self.write(f"{name}.cl", (kiln.SOURCE / "bench" / f"{name}.cl").read_text())
        kept = []
        for mode in ("thread", "helper"):
            cache = self.folder / mode
            self.kiln("bench", "-f", self.folder, "-n", "1",
                      env={"KILN_CACHE_DIR": str(cache), "KILN_COMPILE_MODE": mode})
            kept.append({path.relative_to(cache): path.read_bytes() for path in cache.rglob("*") if path.is_file()})
        self.assertGreater(len(kept[0]), 10)
        self.assertEqual(*kept)

    def test_failures(self):
        self.write("bad.cl", BAD)
        self.write("good.cl", GOOD)
        text = self.kiln("bench", "-f", self.folder, "-n", "1", "-j", "out.json", status=1,
                         says=["failed", "good/twice", "expected 3", "1 of 2 cases failed on Kiln"])
        self.assertRegex(text, r"bad/wrong +failed")
        self.assertEqual([row["ok"] for row in json.loads((self.folder / "out.json").read_text())], [False, True])
        self.kiln("bench", "-f", "nowhere", status=1, says="nowhere: no such folder")


kiln.main()
