"""The documents say what the source says: docs.py ROOT [--write]

Tables of environment variables (--write makes it anew), options of the command, stages of the compiler and channel
orders of images are held against the source; README and CONTRIBUTING are short; links lead somewhere."""
import pathlib
import re
import sys

HEAD = """# Environment variables

None is needed for correctness or speed. `kiln info --config` prints this table with the values in force.

| variable | default | meaning |
|---|---|---|
"""
LIMITS = {"README.md": 150, "CONTRIBUTING.md": 120}


def joined(text):
    """Adjacent string literals of C as one."""
    return "".join(re.findall(r'"([^"]*)"', text))


def environment(root):
    text = (root / "src/base/config.h").read_text().replace("\\\n", "\n")
    rows = re.findall(r'X\(\w+,\s*"(\w+)",\s*(NULL|"[^"]*"),\s*((?:"[^"]*"\s*)+)\)', text)
    cells = [(name, "" if value == "NULL" else f"`{joined(value)}`", joined(text)) for name, value, text in rows]
    return HEAD + "".join(f"| `{name}` | {value} | {meaning} |\n" for name, value, meaning in cells)


def options(root):
    for file in sorted((root / "src/tool").glob("*.c")):
        for name in re.findall(r'^\s*\{"([a-z]+)", (?:\'.\'|OPT_\w+), ', file.read_text(), re.M):
            yield file.name, "--" + name


def stages(root):
    table = re.findall(r'X\("(\w+)", ', (root / "src/compiler/compiler.h").read_text())
    used = re.findall(r'stage\(u, "(\w+)", ', (root / "src/compiler/pipeline.c").read_text())
    return set(table), set(used) - {"options"}  # options have no IR yet


def orders(root):
    """Channel orders in the table of image formats and in the document's."""
    rows = re.search(r"\brows\[\] = \{(.*?)\n\};", (root / "src/core/image_format.c").read_text(), re.S)[1]
    cells = re.findall(r"^\| (CL_[^|]*) \|", (root / "doc/images.md").read_text(), re.M)
    return set(re.findall(r"\{(CL_\w+),", rows)), set(re.findall(r"CL_\w+", " ".join(cells)))


def links(root):
    for file in [*root.glob("*.md"), *root.glob("doc/*.md"), *root.glob("examples/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", file.read_text()):
            if not (file.parent / target).exists():
                yield f"{file.relative_to(root)}: link to {target}, which does not exist"


def problems(root):
    if (root / "doc/environment.md").read_text() != environment(root):
        yield "doc/environment.md is not what src/base/config.h says: run test/structure/docs.py ROOT --write"
    text = (root / "doc/kiln.md").read_text()
    found = list(options(root))
    if len(found) < 20:
        yield "the option tables of src/tool cannot be read"
    for file, option in found:
        if f"`{option}`" not in text:
            yield f"doc/kiln.md: does not mention {option} of src/tool/{file}"
    table, used = stages(root)
    if table != used:
        yield f"KILN_DUMP_TABLE and pipeline.c differ in {sorted(table ^ used)}"
    table, told = orders(root)
    if table != told or len(table) < 10:
        yield f"doc/images.md and image_format.c differ in {sorted(table ^ told)}"
    for name, limit in LIMITS.items():
        lines = len((root / name).read_text().splitlines())
        if lines >= limit:
            yield f"{name}: {lines} lines, the limit is {limit}"
    yield from links(root)


root = pathlib.Path(sys.argv[1])
if "--write" in sys.argv:
    (root / "doc/environment.md").write_text(environment(root))
found = list(problems(root))
print("\n".join(found))
sys.exit(1 if found else 0)
