"""Files under 800 lines that begin with a comment about what they own; functions of at most 80 lines."""
import pathlib
import re
import sys

MAX_FILE, MAX_FUNCTION = 800, 80


def functions(lines):
    """(name, first line, length) of each definition: from an unindented line with a parenthesis, over
    indented ones, to a brace at the end of a line; its end is a brace alone, unindented."""
    name = start = None
    inside = False
    for number, line in enumerate(lines, 1):
        if inside:
            if line == "}":
                yield name, start, number - start + 1
                inside = False
            continue
        if re.match(r"[A-Za-z_]", line):
            called = re.search(r"(\w+)\(", line)
            name, start = (called[1], number) if called else (None, None)
        elif not line.startswith(" "):
            name = None
        if name and line.endswith("{"):
            inside = True
        elif line.endswith(";"):
            name = None


def main(source):
    failures = 0
    for file in sorted(source.rglob("*")):
        if file.suffix not in (".c", ".h", ".cc"):
            continue
        lines = file.read_text().splitlines()
        path = file.relative_to(source)
        if not lines or not lines[0].startswith("/*"):
            print(f"{path}:1: the first comment says what the file owns and must not know")
            failures += 1
        if len(lines) >= MAX_FILE:
            print(f"{path}: {len(lines)} lines, the limit is {MAX_FILE}")
            failures += 1
        for name, start, length in functions(lines):
            if length > MAX_FUNCTION:
                print(f"{path}:{start}: {name} has {length} lines, the limit is {MAX_FUNCTION}")
                failures += 1
    return failures


sys.exit(1 if main(pathlib.Path(sys.argv[1])) else 0)
