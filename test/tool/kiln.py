"""Runs the kiln command and looks at what it says. The tests beside this file import it."""
import os
import pathlib
import subprocess
import tempfile
import unittest

TOOL, SOURCE = os.environ["KILN_TOOL"], pathlib.Path(os.environ["KILN_SOURCE"])


class Test(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def kiln(self, *words, status=0, says=(), env=None, user=None):
        """The command's output and messages, after checks of its exit status and of sentences in them."""
        run = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, cwd=self.folder,
                             env={**os.environ, **(env or {})}, user=user)
        text = run.stdout + run.stderr
        self.assertEqual(run.returncode, status, f"{words}: {text}")
        for sentence in [says] if isinstance(says, str) else says:
            self.assertIn(sentence, text)
        return text

    def numbers(self, text):
        """What --show printed."""
        line = next(line for line in text.splitlines() if line.startswith("argument"))
        return [float(word) for word in line.split(":", 1)[1].replace("|", " ").replace("...", "").split()]


main = unittest.main
