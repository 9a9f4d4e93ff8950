"""kiln doctor: each way in which a driver can fail to load is named."""
import os
import pathlib
import struct
import subprocess

import kiln

KILN = pathlib.Path(os.environ["OCL_ICD_VENDORS"]) / "kiln.icd"


class Doctor(kiln.Test):
    def doctor(self, status, says, **env):
        return self.kiln("doctor", status=status, says=says, env={"OCL_ICD_VENDORS": str(self.folder), **env})

    def library(self, name, source, *options):
        path = self.folder / name
        subprocess.run(["cc", "-shared", "-fPIC", "-o", path, "-x", "c", "-", "-x", "none", *options], input=source, text=True,
                       check=True)
        return str(path)

    def with_kiln(self):
        self.write("kiln.icd", KILN.read_text())

    def test_healthy(self):
        self.with_kiln()
        text = self.doctor(0, ["no problem found", "libOpenCL", "libkiln.so", ": 1 platform", "ok       Kiln, 1 device",
                               "libkiln-compiler.so", "from source to result", "affinity mask", "kernel cache"])
        self.assertNotIn("PROBLEM", text)

    def test_nothing_there(self):
        self.doctor(1, ["holds no .icd file", "Kiln: not among them: set OCL_ICD_VENDORS to"])
        self.kiln("doctor", status=1, says="no such folder", env={"OCL_ICD_VENDORS": "/nonexistent"})

    def test_broken_files(self):
        self.with_kiln()
        self.write("empty.icd", "")
        self.write("missing.icd", "/nonexistent/libdriver.so\n")
        self.write("text.icd", self.write("text.so", "no library " * 20) + "\n")
        self.write("blank.icd", "libkiln.so.0 \n")
        self.write("note.txt", "x")
        (self.folder / "folder.icd").mkdir()
        self.doctor(1, ["empty.icd: names no library", "/nonexistent/libdriver.so: cannot open shared object",
                        "text.so: is no shared library", "blank.icd: has blanks", "note.txt: its name does not end in .icd",
                        "folder.icd: is a folder", "ok       Kiln, 1 device", "5 problems"])

    def test_wrong_machine(self):
        self.with_kiln()
        header = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9) + struct.pack("<HHI", 3, 183, 1) + bytes(40)
        self.write("arm.icd", self.write("arm.so", header))
        self.write("small.icd", self.write("small.so", header[:4] + b"\x01" + header[5:18] + b"\x03\0" + header[20:]))
        self.doctor(1, ["arm.so: is for another kind of processor (64-bit, ELF machine 183)",
                        "small.so: is for another kind of processor (32-bit", "2 problems"])

    def test_bad_libraries(self):
        self.with_kiln()
        self.write("none.icd", self.library("none.so", "int x;"))
        self.write("zero.icd", self.library(
            "zero.so", "int clIcdGetPlatformIDsKHR(unsigned n, void *p, unsigned *count) { return -1001; }"))
        self.library("gone.so", "int gone;", "-Wl,-soname,libgone.so.9")
        self.write("needs.icd", self.library("needs.so", "extern int gone; int *f(void) { return &gone; }",
                                             str(self.folder / "gone.so")))
        self.doctor(1, ["none.so: opens, but has no clIcdGetPlatformIDsKHR", "zero.so: opens, but lists no platform",
                        "needs.so: libgone.so.9: cannot open shared object", "ok       Kiln, 1 device", "3 problems"])

    def test_deadly_libraries(self):
        self.with_kiln()
        self.write("crash.icd", self.library(
            "crash.so", "__attribute__((constructor)) static void f(void) { *(volatile int *)8 = 1; }"))
        self.write("exit.icd", self.library(
            "exit.so", "#include <unistd.h>\n__attribute__((constructor)) static void f(void) { _exit(3); }"))
        text = self.doctor(1, ["crash.so: crashes when it is opened or asked for its platforms (signal 11",
                               "exit.so: ends its process when it is opened (exit status 3)", "not asked: platforms",
                               "2 problems"])
        self.assertNotIn("platforms the loader lists", text)

    def test_compiler(self):
        self.with_kiln()
        bad = self.library("other.so", "int x;")
        self.doctor(1, ["other.so: opens, but has no kiln_compiler_entry", "clBuildProgram: CL_COMPILER_NOT_AVAILABLE"],
                    KILN_COMPILER=bad, KILN_CACHE_DIR="")

    def test_unreadable(self):
        self.with_kiln()
        nobody = 65534 if os.geteuid() == 0 else None  # nothing is unreadable for root
        self.folder.chmod(0o755)
        (self.folder / "kiln.icd").chmod(0)
        env = {"OCL_ICD_VENDORS": str(self.folder), "KILN_CACHE_DIR": ""}
        try:
            self.kiln("--version", user=nobody)
        except PermissionError:
            self.skipTest("another user cannot run the build's programs")
        self.kiln("doctor", status=1, says="kiln.icd: Permission denied", env=env, user=nobody)
        (self.folder / "kiln.icd").chmod(0o644)
        self.folder.chmod(0o711)
        self.kiln("doctor", status=1, says=f"{self.folder}: Permission denied", env=env, user=nobody)


kiln.main()
