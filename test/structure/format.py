"""Sources are as clang-format leaves them: format.py ROOT CLANG-FORMAT"""
import pathlib
import subprocess
import sys

FOLDERS = ["src", "include", "examples", "bench"]

root, command = pathlib.Path(sys.argv[1]), sys.argv[2]
files = [str(file) for folder in FOLDERS for file in sorted((root / folder).rglob("*")) if file.suffix in (".c", ".h", ".cc")]
run = subprocess.run([command, "--dry-run", *files], text=True, capture_output=True)
wrong = sorted({line.split(":")[0] for line in run.stderr.splitlines() if "code should be clang-formatted" in line})
for file in wrong:
    print(f"{file}: run clang-format -i on it")
print(f"{len(files)} files, {len(wrong)} to be formatted")
sys.exit(1 if wrong or run.returncode != 0 else 0)
