"""What a library exports and what it must not call: symbols.py NM LIBRARY export... [-- forbidden...]"""
import subprocess
import sys

nm, library, *names = sys.argv[1:]
split = names.index("--") if "--" in names else len(names)
expected, forbidden = set(names[:split]), set(names[split + 1:])


def symbols(*options):
    text = subprocess.run([nm, "-D", *options, library], check=True, text=True, capture_output=True).stdout
    # the version nodes themselves are listed as absolute symbols
    rows = [line.split() for line in text.splitlines()]
    return {row[-1].split("@")[0] for row in rows if len(row) < 2 or row[-2] != "A"}


exported, wanted = symbols("--defined-only"), symbols("--undefined-only")
for name in sorted(exported - expected):
    print(f"{library} exports {name}")
for name in sorted(expected - exported):
    print(f"{library} does not export {name}")
for name in sorted(wanted & forbidden):
    print(f"{library} calls {name}")
sys.exit(1 if exported != expected or wanted & forbidden else 0)
