"""Every header compiles alone: headers.py SOURCE COMPILER [flag...]"""
import pathlib
import subprocess
import sys

source, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
failures = 0
for header in sorted(source.rglob("*.h")):
    text = f'#include "{header}"\n'
    run = subprocess.run([*command, "-fsyntax-only", "-x", "c", "-"], input=text, text=True, capture_output=True)
    if run.returncode != 0:
        print(f"{header.relative_to(source)} does not compile alone:\n{run.stderr}")
        failures += 1
sys.exit(1 if failures else 0)
