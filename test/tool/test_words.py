"""Commands and options: help everywhere, wrong usage answered with the nearest name, exit statuses."""
import kiln

COMMANDS = ["info", "run", "compile", "bench", "doctor"]


class Words(kiln.Test):
    def test_help_everywhere(self):
        for name in COMMANDS:
            self.kiln("--help", says=name)
            for words in ([name, "--help"], ["help", name], [name, "-?"]):
                self.kiln(*words, says=f"Usage: kiln {name}")
        self.kiln("help", says="usage: kiln COMMAND")
        self.assertRegex(self.kiln("--version"), r"^kiln \d+\.\d+\.\d+\n$")

    def test_unknown_command(self):
        self.kiln(status=2, says="usage: kiln COMMAND")
        self.kiln("inof", status=2, says="'inof' is no command; did you mean 'info'?")
        self.kiln("frobnicate", status=2, says="`kiln --help` lists them")
        self.kiln("help", "dcotor", status=2, says="did you mean 'doctor'?")

    def test_unknown_option(self):
        for name, wrong, right in [("run", "--globl", "--global"), ("bench", "--agianst", "--against"),
                                   ("info", "--confg", "--config"), ("compile", "--outptu=x", "--output"),
                                   ("doctor", "--hlep", "--help")]:
            self.kiln(name, wrong, status=2, says=f"{wrong.split('=')[0]} is no option of `kiln {name}`; did you mean {right}?")
        self.kiln("run", "--zebra", status=2, says="`kiln run --help` lists them")
        self.kiln("run", "-Z", status=2, says="-Z is no option of `kiln run`")
        self.kiln("info", "surplus", status=2, says="Too many arguments")
        self.kiln("run", "--global", status=2, says="requires an argument")

    def test_wrong_values(self):
        file = self.write("k.cl", "kernel void k(void) {}")
        self.kiln("run", status=2, says="no kernel file given")
        self.kiln("compile", status=2, says="no kernel file given")
        self.kiln("run", file, "-g", "x", status=2, says="'x' is no list of sizes")
        self.kiln("run", file, "-g", "1,2,3,4", status=2, says="more than 3 dimensions")
        self.kiln("run", file, "-n", "0", status=2, says="--repeat '0' is no whole number from 1 to 1000000")
        self.kiln("bench", "-n", "many", status=2, says="--rounds 'many' is no whole number")
        self.kiln("run", file, "--expect", "x: 1", status=2, says="does not begin with an argument's number")
        self.kiln("run", file, "--out", "1", status=2, says="does not begin with an argument's number")
        self.kiln("run", file, "--dump", "optimize", status=2, says="did you mean 'optimise'?")
        self.kiln("run", file, "--dump", "qqqqqqq", status=2, says="`kiln run --dump list` lists them")


kiln.main()
