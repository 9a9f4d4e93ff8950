"""Includes point down: base <- compiler, base <- drivers/driver.h <- core <- api. A driver sees base, the
contract and itself; only base/ocl.h includes the headers of the folder CL."""
import pathlib
import re
import sys

ALLOWED = {  # folder: prefixes of what its files may include, besides the system's headers
    "base": ["base/"],
    "compiler/client": ["base/", "compiler/compiler.h", "compiler/client/"],
    "compiler": ["base/", "compiler/", "builtins/"],
    "drivers": ["base/", "compiler/compiler.h", "drivers/driver.h"],
    "core": ["base/", "compiler/compiler.h", "drivers/driver.h", "core/"],
    "api": ["base/", "compiler/compiler.h", "drivers/driver.h", "core/", "api/", "kiln/"],
    "tool": ["base/", "compiler/compiler.h", "tool/", "kiln/"],
}


def rule(path):
    folder = str(path.parent)
    for name in sorted(ALLOWED, key=len, reverse=True):
        if folder == name or folder.startswith(name + "/"):
            own = [folder + "/"] if name == "drivers" and folder != "drivers" else []
            return ALLOWED[name] + own
    return None


def main(source):
    failures = 0
    for file in sorted(source.rglob("*")):
        if file.suffix not in (".c", ".h", ".cc"):
            continue
        path = file.relative_to(source)
        allowed = rule(path)
        if allowed is None:
            print(f"{path}: no rule for this folder")
            failures += 1
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            quoted = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if quoted and not any(quoted[1].startswith(prefix) for prefix in allowed):
                print(f"{path}:{number}: includes {quoted[1]}, which is not below it")
                failures += 1
            if re.match(r"\s*#\s*include\s+<CL/", line) and str(path) != "base/ocl.h" and path.parts[0] != "tool":
                print(f"{path}:{number}: headers of OpenCL come through base/ocl.h")
                failures += 1
    return failures


sys.exit(1 if main(pathlib.Path(sys.argv[1])) else 0)
