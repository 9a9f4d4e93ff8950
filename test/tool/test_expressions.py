"""Expressions of kiln run: each is put in a buffer of doubles and shown."""
import math

import kiln


class Expressions(kiln.Test):
    def value(self, expression):
        file = self.write("k.cl", "kernel void k(global double *a, int n) {}")
        return self.numbers(self.kiln("run", file, "-g", "1", f"[4]={expression}", "3", "--show", "0"))

    def test_values(self):
        for expression, expected in [
                ("1+2*3", 7), ("(1+2)*3", 9), ("10-4-3", 3), ("7%4", 3), ("-7%4", -3), ("1<<40", 2**40), ("255>>4", 15),
                ("6&3|8^1", 11), ("~5", -6), ("!5", 0), ("!0", 1), ("2<3&&3<2", 0), ("2<3||3<2", 1), ("1==1", 1),
                ("1!=1", 0), ("2>=2", 1), ("3<=2", 0), ("1?2:3", 2), ("0?2:0?3:4", 4), ("0xff", 255), ("1.5e2", 150),
                ("sqrt(2)", math.sqrt(2)), ("pow(2,10)", 1024), ("min(3,2)+max(3,2)", 5), ("mod(7.5,2)", 1.5),
                ("erf(0.5)", math.erf(0.5)), ("atan2(1,1)", math.pi / 4), ("float(0.1)", 0.10000000149011612),
                ("uint(-1)", 2**32 - 1), ("int(4294967295)", -1), ("uint(65536*65537)", 65536), ("cbrt(27)", 3),
                ("log2(8)+exp2(3)", 11), ("round(2.5)+trunc(2.7)+floor(-0.5)+ceil(0.5)", 5), ("pi", math.pi),
                ("sum(k,0,5,k*k)", 30), ("sum(k,0,3,sum(j,0,k,1))", 3), ("loop(10,a=0:b,b=1:a+b,a)", 55),
                ("loop(3,x=2:x*x,x)", 256), ("loop(2,x=1:sum(k,0,3,x),x)", 9), ("5/2", 2.5), ("1/0", math.inf), ("9%0", 0)]:
            self.assertEqual(self.value(expression)[0], expected, expression)

    def test_names(self):
        self.assertEqual(self.value("i*10+n"), [4, 14, 24, 34])
        first, again = self.value("rand(i)"), self.value("rand(i)")
        self.assertEqual(first, again)
        self.assertTrue(all(0 <= x < 1 for x in first) and len(set(first)) == 4)

    def test_mistakes(self):
        file = self.write("k.cl", "kernel void k(global double *a) {}")
        for expression, message in [("1+", "a value expected"), ("(1", "')' expected"), ("1 1", "end expected at '1'"),
                                    ("foo", "no name of ours"), ("foo(1)", "no function of this name"),
                                    ("sin(1,2)", "another number of arguments"), ("1?2", "':' expected"),
                                    ("sum(1,2,3,4)", "the variable of sum expected"), ("a0[9]", "there is no argument 0"),
                                    ("a7", "there is no argument 7"), ("loop(1,x=1,x)", "':' expected")]:
            self.kiln("run", file, "-g", "1", f"[4]={expression}", status=1, says=message)
        self.kiln("run", file, "-g", "1", "[4]", "--expect", "0: a0[4]", status=1,
                  says="component 4 of argument 0, which has 4")


kiln.main()
