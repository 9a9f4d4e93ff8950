"""Every error sentence of the entry points has a test that expects it: messages.py SOURCE TESTS

A sentence counts as expected when some string literal of the tests reads like a piece of it: the sentence's
conversions (%u, %s...) match anything, and the piece has a run of at least ten of its own letters in it."""
import pathlib
import re
import sys

LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
SHORTEST = 10


def joined(match):
    return "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', match))


def arguments(text, start):
    """The text between the parentheses that open at start."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return text[start + 1:i]
    return ""


def sentences(source):
    for file in sorted((source / "api").glob("*.c")):
        text = re.sub(r"/\*.*?\*/", " ", file.read_text(), flags=re.S)
        for call in re.finditer(r"\b(?:kiln_fail|KILN_REQUIRE)(\()", text):
            found = LITERALS.search(arguments(text, call.start(1)))
            if found and joined(found[0]) != "%s":
                yield file.name, joined(found[0])


CONVERSION = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z)?[a-zA-Z]")


def is_piece(text, sentence):
    """Whether text can stand in an instance of sentence, each conversion being any characters."""
    tokens = list(CONVERSION.sub("\0", sentence).replace("%%", "%"))
    places = set(range(len(tokens)))
    for letter in text:
        after = set()
        for place in places:
            while place < len(tokens) and tokens[place] == "\0":
                after.add(place)  # the conversion goes on
                place += 1
            if place < len(tokens) and tokens[place] == letter:
                after.add(place + 1)
        places = after
    return bool(places)


def covers(text, sentence):
    fixed = [piece for piece in CONVERSION.split(sentence) if piece]
    need = min(SHORTEST, max(map(len, fixed), default=0))
    runs = (piece[at:at + need] for piece in fixed for at in range(len(piece) - need + 1))
    return any(run in text for run in runs) and is_piece(text, sentence)


def main(source, tests):
    expected = set()
    for file in tests.rglob("*.c"):
        if file.parent.name in ("api", "icd"):
            expected |= {joined(match) for match in LITERALS.findall(file.read_text())}
    missing = [(file, s) for file, s in sentences(source) if not any(covers(text, s) for text in expected)]
    for file, sentence in missing:
        print(f'{file}: no test expects "{sentence}"')
    print(f"{len(list(sentences(source)))} sentences, {len(missing)} without a test")
    return len(missing)


sys.exit(1 if main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])) else 0)
