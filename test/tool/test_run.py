"""kiln run: sizes, arguments of every kind, expectations, directives, stages."""
import re
import statistics
import struct
import kiln

SAXPY = "kernel void saxpy(float a, global const float *x, global float *y) {\n" \
        "  size_t i = get_global_id(0);\n  y[i] = a * x[i] + y[i];\n}\n"
SCALARS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"]


def has_feature(flag):
    """Whether the processor has a feature, by its name in /proc/cpuinfo."""
    with open("/proc/cpuinfo", encoding="ascii") as cpu:
        return flag in cpu.read().split()


class Run(kiln.Test):
    def test_result(self):
        file = self.write("saxpy.cl", SAXPY)
        words = [file, "-g", "100", "-2.5", "[100]=i", "[100]=1"]
        text = self.kiln("run", *words, "--expect", "2: a0*a1[i]+1", "--show", "2:3", "-n", "3", "--flops", "2*g0",
                         "--bytes", "12*g0", "--items", "g0",
                         says=["as expected", "median of 3", "GFLOP/s", "GB/s", "Mitem/s"])
        self.assertEqual(self.numbers(text), [1, -1.5, -4])
        self.kiln("run", *words, "--expect", "2: 7", status=1,
                  says=["argument 2, component 0 is 1, expected 7", "100 of 100 components are wrong"])
        self.assertEqual(self.kiln("run", *words, "--quiet", "--expect", "2: a0*a1[i]+1"), "")

    def test_expectations(self):
        file = self.write("saxpy.cl", SAXPY)
        words = ["run", file, "-g", "100", "1", "[100]=i", "[100]=i==50"]
        self.kiln(*words, "--expect", "2: i", status=1, says="1 of 100 components are wrong")
        self.kiln(*words, "--expect", "2: i ~ 0.1", says="as expected")  # relative: 51 for 50
        self.kiln(*words, "--expect", "2: i ~ 0.01", status=1)
        self.kiln(*words, "--expect", "2: i ~ 0,1%", says="as expected")
        self.kiln(*words, "--expect", "2: i ~ 0,0.5%", status=1)
        self.kiln(*words, "--expect", "2/3: i", says="as expected")  # 50 is no multiple of 3
        self.kiln(*words, "--expect", "2/5: i", status=1, says="1 of 20 components are wrong")
        self.kiln(*words, "--expect", "0: 1", status=1, says="argument 0 is no buffer")
        self.kiln(*words, "--show", "7", status=1, says="argument 7 is no buffer")

    def test_scalars(self):
        for name in SCALARS:
            file = self.write("k.cl", f"kernel void k({name} a, global {name} *out) {{ out[0] = a; }}")
            self.kiln("run", file, "-g", "1", "100", "[1]", "--expect", "1: 100")
        file = self.write("k.cl", "kernel void k(ulong a, long b, global ulong *c, global long *d) { *c = a; *d = b; }")
        self.kiln("run", file, "-g", "1", "18446744073709551615", "(-9223372036854775807-1)", "[1]", "[1]",
                  "--expect", "2: 18446744073709551615", "--expect", "3: -9223372036854775807-1")

    def test_vectors(self):
        for width in (2, 3, 4, 8, 16):
            file = self.write("k.cl", f"kernel void k(int{width} a, global int{width} *b) {{ b[0] = a + b[1]; }}")
            value = ",".join(str(10 * k) for k in range(width))
            self.kiln("run", file, "-g", "1", value, "[2]=i", "--expect", f"1: i < {width} ? 10*i+{width}+i : i")
            self.kiln("run", file, "-g", "1", "7", "[2]=i", "--expect", f"1: i < {width} ? 7+{width}+i : i")
        self.kiln("run", file, "-g", "1", "1,2,3", "[2]", status=1, says="has 3 components, int16 takes 1 or 16")

    def test_other_arguments(self):
        file = self.write("k.cl", "typedef struct { float x; int n; } pair;\ntypedef float real;\n"
                          "kernel void k(pair p, global real *out, local real *l, global int *none) {\n"
                          "  l[get_local_id(0)] = p.x; barrier(CLK_LOCAL_MEM_FENCE);\n"
                          "  out[get_global_id(0)] = l[0] + p.n + (none == 0); }")
        pair = self.write("pair.bin", bytes([0, 0, 0x20, 0x41, 5, 0, 0, 0]))  # 10.0f, 5
        self.kiln("run", file, "-g", "8", "-l", "4", f"@{pair}", "(float)[8]", "local[4*4]", "null",
                  "--expect", "1: 16")
        self.kiln("run", file, "-g", "8", "3", "(float)[8]", "local[16]", "null", status=1,
                  says="a pair by value can only be read from a file")
        self.kiln("run", file, "-g", "8", f"@{pair}", "5", "local[16]", "null", status=1, says="is a pointer (real*)")
        file = self.write("v.cl", "kernel void v(int a) {}")
        self.kiln("run", file, "-g", "1", "[4]", status=1, says="argument 0 is a int, no pointer")
        self.kiln("run", file, "-g", "1", status=1, says="kernel v takes 1 argument, 0 given")

    def test_changed_structure(self):
        """A structure by value that a kernel changes: each work-item's own, and lanes all the same."""
        file = self.write("k.cl", "struct s { int a[4]; int b; short c; };\n"
                          "kernel void k(struct s p, global int *out, global const int *in) {\n"
                          "  int i = get_global_id(0);\n  p.a[in[i] & 3] += i;\n  p.b -= i;\n"
                          "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                          "  out[i] = p.a[0] + 10 * p.a[1] + 100 * p.a[i & 3] + p.b + p.c; }")
        own = self.write("s.bin", struct.pack("<5ihxx", 1, 2, 3, 4, 500, 6))
        for local in "4", "32":
            self.kiln("run", file, "-g", "32", "-l", local, f"@{own}", "[32]", "[32]=i", "--explain", "--expect",
                      "1: 1+(i%4==0)*i + 10*(2+(i%4==1)*i) + 100*(1+i%4+i) + 500-i + 6", says="lanes along dimension 0")

    def assembly(self, *words, env=None):
        text = self.kiln("run", *words, "--dump", "assembly", env=env)
        if "+avx2" not in self.kiln("info"): self.skipTest("of processors with AVX2")
        return text

    def waits(self, assembly):
        """By instruction on vectors: how many of them before it is the latest of those whose results it takes."""
        made, found = {}, []
        lines = [line for line in assembly.splitlines() if re.match(r"\s+v[a-z]\S*\s.*%[xyz]mm", line)]
        for number, line in enumerate(lines):
            *sources, target = re.findall(r"%[xyz]mm(\d+)", line)
            read = sources + ([target] if "fm" in line.split()[0] else [])
            found += [min(number - made[r] for r in read if r in made)] if any(r in made for r in read) else []
            made[target] = number
        return found

    def test_order_of_chains(self):
        """Chains of dependent operations stay side by side in long code: 14 of them with AVX2, 1 before."""
        file = self.write("chains.cl", "#define STEPS x = x * x + c; x = x * x + c; x = x * x + c; x = x * x + c;\n"
                          "kernel void chains(global float *out, float a) {\n  float16 x = a, c = get_local_id(0);\n"
                          "  x += (float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);\n"
                          "  for (int i = 0; i < 4; i++) { STEPS STEPS STEPS STEPS }\n  out[get_global_id(0)] = "
                          + " + ".join(f"x.s{k:x}" for k in range(16)) + ";\n}\n")
        waits = self.waits(self.assembly(file, "-g", "1024", "-l", "64", "[1024]", "0.5"))
        self.assertGreater(len(waits), 300)
        self.assertGreaterEqual(statistics.median(waits), 8)

    def test_chains_in_flight(self):
        """Chains as wide as registers allow, whatever vector type they are written in: eight to sixteen vectors at
        work, as multiplications take four turns and two begin in each, and next to nothing goes to memory."""
        steps = "x = x * x + c; " * 16
        for width in "", "2", "4", "8":
            parts = [f"x.s{k}" for k in range(int(width or 1))] if width else ["x"]
            file = self.write("chain.cl", f"kernel void chain(global float *out, float a) {{\n  float{width} x = a, "
                              f"c = (float{width})get_local_id(0);\n" + "".join(f"  {part} += {k};\n" for k, part
                                                                              in enumerate(parts)) +
                              f"  for (int i = 0; i < 32; i++) {{ {steps} }}\n  out[get_global_id(0)] = " +
                              " + ".join(parts) + ";\n}\n")
            code = self.assembly(file, "-g", "65536", "-l", "256", "[65536]", "0.5",
                                 env={"KILN_CPU_FEATURES": "avx2"})
            with self.subTest(width=width):
                self.assertEqual(code.count("vfmadd"), 128)
                self.assertLess(code.count("(%rsp)"), 8)

    def test_divergent_branches_between_barriers(self):
        """Eight vectors of a group that branch often between barriers stay loops, but for the shortest."""
        steps = "".join(f"    if (x > best[(i + {k}) & 127]) x -= {k};\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
                        f"    if (x & {1 << k}) best[i] = x;\n    barrier(CLK_LOCAL_MEM_FENCE);\n" for k in (1, 2, 3))
        file = self.write("paths.cl", "kernel void paths(global const int *cost, global int *o, int turns) {\n"
                          "  local int best[128];\n  int i = get_local_id(0), x = cost[get_global_id(0)];\n"
                          "  best[i] = x;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
                          "  for (int turn = 0; turn < turns; turn++) {\n" + steps +
                          "  }\n  o[get_global_id(0)] = x;\n}\n")
        code = self.assembly(file, "-g", "65536", "-l", "128", "[65536]=i%53", "[65536]", "9",
                             env={"KILN_CPU_FEATURES": "avx2"})
        self.assertLess(len(re.findall(r"^\t[a-z]", code, re.M)), 700)

    def test_cases_of_a_switch(self):
        """Which lanes take a case is found where it begins: masks of all cases do not wait for it in memory."""
        other = "default: y = x * 0.5f; break;"
        for step, default in (5, ""), (1, ""), (5, other), (1, other):
            cases = "".join(f"  case {step * k}: x += y * {k}.5f; break;\n" for k in range(40))
            file = self.write("cases.cl", "kernel void cases(global const int *which, global float *o) {\n"
                              "  int i = get_global_id(0);\n  float x = o[i], y = o[i + 1];\n"
                              f"  switch (which[i]) {{\n{cases}  {default}\n  }}\n  o[i] = x + y;\n}}\n")
            code = self.assembly(file, "-g", "65536", "-l", "64", "[65536]=i", "[65540]",
                                 env={"KILN_CPU_FEATURES": "avx2"})
            with self.subTest(step=step, default=default):
                self.assertLess(code.count("(%rsp)"), 20)
                self.assertLess(len(re.findall(r"^\t[a-z]", code, re.M)), 700)

    def test_hints_for_rows_of_bytes(self):
        """Hints do not keep rows of bytes from the vectorizer, which one work-item at a time leaves them to."""
        for hint in "", "#pragma unroll 4", "#pragma unroll":
            file = self.write("row.cl", "kernel void row(global const uchar *a, global int *o, int n) {\n"
                              f"  int i = get_global_id(0), sum = 0;\n{hint}\n"
                              "  for (int k = 0; k < n; k++) sum += a[i * n + k];\n  o[i] = sum;\n}\n")
            code = self.assembly(file, "-g", "64", "-l", "64", "(uchar)[65536]=i%9", "[64]", "1024")
            with self.subTest(hint=hint):
                self.assertRegex(code, r"(?m)^\tv?(?:psadbw|paddd|pmovzxbd)\t")

    def test_blocks_of_rows(self):
        """Lanes that go along rows of their own store them as they load them, by registers."""
        file = self.write("rows.cl", "kernel void rows(global const float *a, global float *o, int n) {\n"
                          "  int i = get_global_id(0);\n  float s = 0;\n"
                          "  for (int k = 0; k < n; k++) o[i * n + k] = s = sqrt(s) + a[i * n + k];\n}\n")
        code = self.assembly(file, "-g", "512", "-l", "64", "(float)[32768]=i%7", "(float)[32768]", "64",
                             env={"KILN_CPU_FEATURES": "avx2"})
        self.assertLess(len(re.findall(r"\tvextractps\t.*\)", code)), 9) # of the turns that are left

    def test_rows_of_bytes(self):
        """By words where each turn needs the one before; what a row's elements make together is the vectorizer's."""
        for body, says in (("s = (s * 3 + a[i * n + k]) / 4; o[i * n + k] = s;", "lanes along"),
                           ("s += a[i * n + k]; o[i * n + k] = s;", "lanes along"),
                           ("s = max(s, (int)a[i * n + k]);", "one work-item at a time"),
                           ("s += popcount(a[i * n + k] ^ a[k]);", "one work-item at a time"),
                           ("s += a[i * n + k] > 64;", "one work-item at a time")):
            file = self.write("row.cl", "kernel void row(global const uchar *a, global uchar *o, int n) {\n"
                              f"  int i = get_global_id(0), s = 0;\n  for (int k = 0; k < n; k++) {{ {body} }}\n  o[i] = s;\n}}\n")
            with self.subTest(body=body):
                self.kiln("run", file, "-g", "64", "-l", "64", "(uchar)[65536]=i%9", "(uchar)[65536]", "256", "--explain",
                          says=says)

    def test_back_and_forth(self):
        """Arguments that lie apart are read and written by whole rows, however the program goes from one to the other."""
        file = self.write("pixels.cl", "kernel void pixels(global const uchar *a, global uchar *o) {\n"
                          "  int i = get_global_id(0);\n  o[4 * i] = a[4 * i] / 2;\n"
                          "  o[4 * i + 1] = a[4 * i + 1] + 1;\n  o[4 * i + 2] = 255 - a[4 * i + 2];\n"
                          "  o[4 * i + 3] = a[4 * i + 3];\n}\n")
        code = self.assembly(file, "-g", "65536", "-l", "64", "(uchar)[262144]=i%9", "(uchar)[262144]",
                             env={"KILN_CPU_FEATURES": "avx2"})
        self.assertNotRegex(code, r"\tvpextr[bw]\t.*\)")

    def test_pixels_anywhere(self):
        """A pixel's four bytes are loaded as a word, and taken apart as vectors; estimates know it."""
        file = self.write("palette.cl", "kernel void palette(global const uchar *a, global uchar *o, global const uchar *t) {\n"
                          "  int i = get_global_id(0);\n  global const uchar *p = t + 4 * a[i];\n"
                          "  for (int c = 0; c < 4; c++) o[4 * i + c] = (p[c] * 3 + 1) / 4;\n}\n")
        words = ("-g", "65536", "-l", "64", "(uchar)[65536]=i%9", "(uchar)[262144]", "(uchar)[1024]")
        code = self.assembly(file, *words, env={"KILN_CPU_FEATURES": "avx2"})
        self.assertNotRegex(code, r"\tvpinsrb\t")
        self.kiln("run", file, *words, "--explain", env={"KILN_CPU_FEATURES": "avx2"}, says="lanes along")

    def test_bytes_within_words(self):
        """Some bytes of each lane's four are loaded as words: no shuffles for each of them."""
        file = self.write("rgb.cl", "kernel void rgb(global const uchar *a, global int *o) {\n"
                          "  int i = get_global_id(0);\n"
                          "  o[i] = a[4 * i] + 2 * a[4 * i + 1] + 3 * a[4 * i + 2];\n}\n")
        code = self.assembly(file, "-g", "65536", "-l", "64", "(uchar)[262144]=i%9", "[65536]",
                             env={"KILN_CPU_FEATURES": "avx2"})
        self.assertLess(len(re.findall(r"\tv(?:pshufb|punpck|packus)", code)), 8)

    def test_one_counter_for_records_nearby(self):
        """Records some places further on are at an offset from one pointer, which alone goes along with the loop."""
        loads = "".join(f"  v += vload4(i + {k}, a);\n" for k in range(8))
        file = self.write("nearby.cl", "kernel void nearby(global const float *a, global float4 *o) {\n"
                          f"  int i = get_global_id(0);\n  float4 v = 0;\n{loads}  o[i] = v;\n}}\n")
        code = self.assembly(file, "-g", "64", "-l", "64", "(float)[512]=i%9", "(float)[256]",
                             env={"KILN_CPU_FEATURES": "avx2"})
        self.assertLess(len(re.findall(r"^\t(?:addq|leaq|shlq|orq)\t", code, re.M)), 11)

    def test_functions_take_two_vectors(self):
        """They share the constants, also where a few values more than there are registers are alive, or where large
        numbers go another way, which is hardly ever taken."""
        for call in "sin(a[i])", "tan(a[i])", "pow(a[i], b[i])", "powr(a[i], b[i])", "exp(a[i])":
            file = self.write("call.cl", "kernel void call(global const float *a, global float *b) {\n"
                              f"  int i = get_global_id(0);\n  b[i] = {call};\n}}\n")
            with self.subTest(call=call):
                self.kiln("run", file, "-g", "65536", "-l", "64", "(float)[65536]=i%9", "(float)[65536]=i%5", "--explain",
                          env={"KILN_CPU_FEATURES": "avx2"}, says="16 lanes")

    def test_rows_that_crowd_the_cache(self):
        """Rows that are written take half as many lanes, also where rows that are only read are unrolled first; not where
        they are written in blocks, as nothing else is read there, or it is known that the rows' lines do not push each
        other out."""
        far = ("kernel void far(global float *a, global float *o, int n) {\n  int i = get_global_id(0);\n  float s = 0;\n"
               "  for (int k = 0; k < n; k++) s += a[i * n + k];\n"
               "  for (int k = 0; k < n; k++) TO[i * n + k] = a[i * n + FROM] * s;\n}\n")
        onward = self.write("onward.cl", far.replace("TO", "a").replace("FROM", "k + 1"))
        blocks = self.write("blocks.cl", far.replace("TO", "o").replace("FROM", "k"))
        near = self.write("near.cl", "kernel void near(global const float *a, global float *o, int n) {\n"
                          "  int i = get_global_id(0);\n  float s = 0;\n"
                          "  for (int k = 0; k < n; k++) o[i * 48 + k] = s = sqrt(s) + a[i * 48 + k];\n}\n")
        words, avx2 = ("-g", "512", "-l", "64", "(float)[32769]=i%7", "(float)[32768]"), {"KILN_CPU_FEATURES": "avx2"}
        lanes = 8 if has_feature("avx_vnni") else 4  # lines have 12 ways there in place of 8
        self.kiln("run", onward, *words, "64", "--explain", env=avx2, says=f": {lanes} lanes")
        self.kiln("run", blocks, *words, "64", "--explain", env=avx2, says=": 8 lanes")
        self.kiln("run", near, *words, "48", "--explain", env=avx2, says=": 8 lanes")

    def test_ids_taken_apart(self):
        """A sum of a group whose rows and places are quotients and remainders of the global id: sixteen times the code, and
        gathers, where nothing is known of these."""
        file = self.write("rows.cl", "kernel void rows(global float *o, global const float *a, local float *part, int n) {\n"
                          "  int i = get_global_id(0), size = get_local_size(0), row = i / size, item = i % size;\n"
                          "  float sum = 0;\n  for (int k = item; k < n; k += size) sum += a[row * n + k];\n"
                          "  part[item] = sum;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
                          "  for (int k = size / 2; k > 0; k /= 2) {\n"
                          "    if (item < k) part[item] += part[item + k];\n    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n"
                          "  if (item == 0) o[row] = part[0];\n}\n")
        words = [file, "-g", "4096", "-l", "64", "[64]", "[65536]=i%7", "local[64]", "1024"]
        code = self.assembly(*words, env={"KILN_CPU_FEATURES": "avx2"})
        self.assertLess(len(re.findall(r"^\t[a-z]", code, re.M)), 500)
        self.kiln("run", *words, "--explain", "--expect", "0: sum(k,0,1024,(i*1024+k)%7)", says="store contiguous")

    def test_local_histogram(self):
        """Bins in local memory: their addresses from general registers for bytes, and in turn for all else."""
        text = ("kernel void bins(global const %s *in, global uint *o) {\n  local uint own[256];\n"
                "  int i = get_global_id(0), l = get_local_id(0);\n  own[l] = 0;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
                "  for (int k = 0; k < 16; k++) atomic_inc(&own[%s]);\n  barrier(CLK_LOCAL_MEM_FENCE);\n  o[i] = own[l];\n}\n")
        words = "-g", "4096", "-l", "256", "[65536]=i%7", "[4096]"
        code = self.assembly(self.write("bytes.cl", text % ("uchar", "in[i + k * 4096]")), *words, env={"KILN_CPU_FEATURES": "avx2"})
        shifted = 1 if has_feature("avx512_fp16") else 0  # one address is, by code generation's choice for those
        self.assertEqual(len(re.findall(r"^\tincl\t\(%r\w+,%r\w+,4\)", code, re.M)), 8 - shifted)
        if shifted:
            self.assertEqual(len(re.findall(r"^\tincl\t\(%r\w+,%r\w+\)", code, re.M)), shifted)
        self.assertEqual(len(re.findall(r"vpextr.*\n\tincl", code)), 0)
        code = self.assembly(self.write("words.cl", text % ("uint", "in[i + k * 4096] & 255")), *words)
        self.assertEqual(len(re.findall(r"vextract[fi]\w+\t\$[23],", code)), 0)

    def test_sums_in_memory(self):
        """Sums that a loop keeps in records are carried in registers: in memory four times as slow in lanes."""
        file = self.write("sums.cl", "kernel void sums(global float4 *restrict o, global const float *restrict a, int n) {\n"
                          "  int i = get_global_id(0);\n"
                          "  for (int k = 0; k < n; k++) { o[i].x += a[k]; o[i].z += a[k + i]; }\n}\n")
        text = self.kiln("compile", file, "--dump", "normalise")
        loop = re.search(r"^for\.body:.*?^  br i1", text, re.M | re.S).group()
        self.assertEqual((loop.count("load float"), loop.count("store")), (2, 0))

    def test_places_after_barriers(self):
        """A tile in a group of one dimension: places of high and low bits of ids are known behind the barrier, too, where
        they were addresses for each lane, which took 1.7 times as long."""
        file = self.write("turn.cl", "kernel void turn(global float *o, global const float *a) {\n"
                          "  local float tile[16 * 17];\n"
                          "  int l = get_local_id(0), x = l & 15, y = l >> 4, tx = 16 * get_group_id(0), ty = 16 * get_group_id(1);\n"
                          "  for (int k = 0; k < 4; k++) tile[(y + 4 * k) * 17 + x] = a[(ty + y + 4 * k) * 128 + tx + x];\n"
                          "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                          "  for (int k = 0; k < 4; k++) o[(tx + y + 4 * k) * 64 + ty + x] = tile[x * 17 + y + 4 * k];\n}\n")
        text = self.kiln("run", file, "-g", "512,4", "-l", "64,1", "[8192]", "[8192]=i", "--explain", "--expect",
                         "0: i%64*128+int(i/64)", env={"KILN_CPU_FEATURES": "avx2"})
        self.assertIn("4 x store contiguous", text.split("barrier(")[1])

    def test_rows_of_work_items(self):
        """Work-items that each write a row of their own run one after the other, as vectors along the row: 12 times as fast
        as lanes, which gather and scatter. Where all of them write one row, and in prefix sums, they stay lanes."""
        file = self.write("rows.cl", "#define ROWS(name, to, value) "
                          "kernel void name(global float *o, global const float *a, int n) { "
                          "int r = get_global_id(0); "
                          "for (int c = 1; c < n; c++) o[to] = value; }\n"
                          "ROWS(own, r * n + c, 2 * a[r * n + c] + o[r * n + c])\n"
                          "ROWS(shared, c, 2 * a[c])\nROWS(sums, r * n + c, a[r * n + c] + o[r * n + c - 1])\n"
                          "kernel void copies(global float *to, int to_first, int to_pitch, global float *from, int first, "
                          "int pitch, int width, int height) {\n  int row = get_group_id(0) * get_local_size(0) + "
                          "get_local_id(0);\n  if (row < height)\n    for (int c = 0; c < width; c++)\n"
                          "      (to + to_first)[row * to_pitch + c] = (from + first)[row * pitch + c];\n}\n"
                          "kernel void walks(global float *o, global const float *a, int n) {\n"
                          "  global float *to = o + get_global_id(0) * n;\n"
                          "  global const float *from = a + get_global_id(0) * n;\n"
                          "  for (int c = 0; c < n; c++) *to++ = *from++;\n}\n"
                          "kernel void adds(global float *o, global const float *a, int n) {\n"
                          "  global float *to = o + get_global_id(0) * n;\n"
                          "  for (int c = 1; c < n; c++, to++) to[1] = *to + a[c];\n}\n")
        self.kiln("run", file, "-k", "copies", "-g", "256", "-l", "64", "[65536]", "0", "256", "[65536]=i%7", "0", "256",
                  "256", "256", "--explain", says="one work-item at a time")
        for kernel, says in (("own", "one work-item at a time"), ("shared", "lanes along"), ("sums", "lanes along"),
                             ("walks", "one work-item at a time"), ("adds", "lanes along")):
            self.kiln("run", file, "-k", kernel, "-g", "256", "-l", "64", "[65536]", "[65536]=i%7", "256", "--explain",
                      env={"KILN_CPU_FEATURES": "avx2"}, says=says)

    def test_lanes_along_rows_of_images(self):
        """Lanes that read an image at places apart in one row, not in a row each: eight times as fast for rows of 8 KiB."""
        file = self.write("rows.cl", "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | "
                          "CLK_FILTER_NEAREST;\nkernel void rows(read_only image2d_t in, read_only image2d_t weights, "
                          "global float4 *o, int n, int steps) {\n"
                          "  int x = get_global_id(0), y = get_global_id(1), block = x / n, place = x % n;\n"
                          "  float4 sum = 0;\n  for (int j = 0; j < steps; j++)\n"
                          "    for (int k = 0; k < steps; k++)\n      sum += "
                          + " + ".join(f"read_imagef(in, s, (int2)(clamp((4 * place + {m} + j) * n - 3 * k, 0, n), y + k)) * "
                                       f"read_imagef(weights, s, (int2)(4 * k + {m}, block + j))" for m in range(4)) +
                          ";\n  o[y * get_global_size(0) + x] = sum;\n}\n")
        self.kiln("run", file, "-g", "64,64", "-l", "16,16", "image[64,64]=1", "image[64,64]=1", "[4096]", "16", "8",
                  "--explain", says="lanes along dimension 0")

    def test_volatile_local(self):
        """Volatile local memory in lanes as any other, under masks as well: one lane after the other takes four times as
        long."""
        file = self.write("tree.cl", "kernel void tree(global const float *in, global float *o) {\n"
                          "  local volatile float s[64];\n  int l = get_local_id(0);\n  s[l] = in[get_global_id(0)];\n"
                          "  barrier(CLK_LOCAL_MEM_FENCE);\n  for (int k = 1; k < 64; k *= 2) {\n"
                          "    if (l % (2 * k) == 0)\n      s[l] += s[l + k];\n    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n"
                          "  if (l == 0) o[get_group_id(0)] = s[0];\n}\n")
        text = self.kiln("run", file, "-g", "256", "-l", "64", "[256]=i%7", "[4]", "--explain", "--expect",
                         "1: sum(k,64*i,64*i+64,k%7)")
        self.assertNotIn("scalar code", text)

    def test_exchanged_sums(self):
        """A loop that exchanges until nobody came between waits for none; one that wants a lock does."""
        body = "  volatile global uint *to = o + i[get_global_id(0)];\n  uint old = *to, found;\n"
        kernels = {"add": "  while ((found = atomic_cmpxchg(to, old, as_uint(as_float(old) + 1))) != old) old = found;\n",
                   "most": "  while (old < k && (found = atomic_cmpxchg(to, old, k)) != old) old = found;\n",
                   "lock": "  while ((found = atomic_cmpxchg(to, 0, 1)) != 0) old = found;\n  *to = 0;\n"}
        for name, loop in kernels.items():
            file = self.write(f"{name}.cl", f"kernel void {name}(global uint *o, global const uint *i, uint k) {{\n"
                              + body + loop + "}\n")
            text = self.kiln("run", file, "-g", "256", "-l", "64", "[64]", "[256]=i%64", "5", "--explain")
            self.assertEqual("may wait" in text, name == "lock", text)

    def test_loops_that_ask_others(self):
        """What atomics answer in a loop may choose what it stores; it waits only where an answer decides on another turn,
        and not where each turn passes a barrier."""
        loops = {"append": "for (int k = 0; k < size.n; k++) {\n    if (i[k] % 3 == 0) continue;\n"
                           "    uint at = atomic_inc(&count);\n    if (at < 64) o[at] = k;\n  }\n",
                 "stack": "int stack[8], n = 1;\n  stack[0] = l & 7;\n  while (n > 0) {\n    int top = stack[--n];\n"
                          "    if (i[top] % 2) {\n      uint at = atomic_inc(o + 1);\n      if (at < 64) o[at] = top;\n    }\n"
                          "    if (top > 0) stack[n++] = top - 1;\n  }\n",
                 "rounds": "do {\n    barrier(CLK_LOCAL_MEM_FENCE);\n    if (atomic_add(&count, i[l] % 2) > 9) flag = 1;\n"
                           "    barrier(CLK_LOCAL_MEM_FENCE);\n  } while (flag == 0);\n",
                 "flag": "while (flag == 0)\n    if (atomic_inc(&count) > 9) flag = 1;\n",
                 "turns": "for (uint k = 0; k < 64; k += 1 + o[k] % 2) atomic_or(o + k, i[l]) == 3 ? k++ : 0;\n"}
        for name, loop in loops.items():
            file = self.write(f"{name}.cl", "struct size { int n; };\nkernel void loops(global uint *o, global const uint *i, "
                              "struct size size) {\n  local uint count;\n  local int flag;\n  int l = get_local_id(0);\n"
                              "  if (l == 0) count = flag = 0;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  " + loop
                              + "  o[l + 64] = count;\n}\n")
            text = self.kiln("run", file, "-g", "64", "-b", "-kiln-width=16", "[128]", "[64]=i", "@" + self.write("size.bin", struct.pack("i", 4)),
                             "--explain")
            self.assertEqual("may wait" in text, name in ("flag", "turns"), name + text)

    def test_turns_that_are_known(self):
        """Sums of bytes in rows of their own, and then more or less of something else: along rows of 225 one work-item at a
        time takes a fifth of the time of lanes, in rows of 12 three times as long."""
        text = ("kernel void rows(global const uchar *a, global const uchar *b, global float *o) {\n"
                "  int i = get_global_id(0), s = 0, t = 0, p = 0;\n  for (int k = 0; k < N; k++) {\n"
                "    s += a[i * N + k];\n    t += b[i * N + k];\n    p += a[i * N + k] * b[i * N + k];\n  }\n"
                "  double x = sqrt(max(0.0, p - 1.0 * s * t / N)), y = sqrt(fabs(s / (1.0 + t)));\n"
                "  o[i] = (x == 0 ? y / fabs(x) : sqrt(x) / y / x)%s;\n}\n")
        for n, more, lanes in ((225, " + cos(exp(s * 1e-3f)) * sin(log(1.0f + t))", "one work-item at a time"),
                               (12, "", "lanes along dimension 0")):
            self.kiln("run", self.write("rows.cl", text % more), "-g", "256", "-l", "64", "-b", f"-D N={n}", "[65536]=i%7",
                      "[65536]=i%5", "[256]", "--explain", says=lanes)

    def test_doubled_steps(self):
        """Remainders by steps that a loop doubles are bits: no division, in lanes or once for all."""
        file = self.write("tree.cl", "kernel void tree(global const int *in, global int *o, int size) {\n"
                          "  int i = get_global_id(0), n = 0;\n  for (int k = 1; k < size; k = 2 * k)\n"
                          "    if ((in[i] + i) % (2 * k) == 0) n += in[i] % k;\n  o[i] = n;\n}\n")
        code = self.assembly(file, "-g", "256", "-l", "64", "[256]=i%7", "[256]", "64")
        self.assertEqual(len(re.findall(r"^\t(?:vdiv|vcvt|idivl)", code, re.M)), 0)

    def test_long_chains_in_pairs(self):
        """Sums of series that wait for one another run two vectors side by side, which takes 0.8 of the time."""
        file = kiln.SOURCE / "bench" / "math.cl"
        for kernel, lanes in (("mixed", 16), ("mixed_double", 8)):
            self.kiln("run", file, "-k", kernel, "--explain", env={"KILN_CPU_FEATURES": "avx2"},
                      says=f": {lanes} lanes along dimension 0")

    def test_halves_in_lanes(self):
        """Without instructions for halves a vector of eight is computed as one of floats, whose results are waited
        for: lanes are six times as fast as one work-item after the other."""
        file = self.write("halves.cl", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                          "kernel void halves(global float *out, float a) {\n"
                          "  half8 x = (half)a, c = (half)get_local_id(0);\n  for (int i = 0; i < 99; i++) { "
                          + "x = x * x + c; " * 8 + "}\n  out[get_global_id(0)] = x.s0 + x.s7;\n}\n")
        self.kiln("run", file, "-g", "1024", "-l", "64", "[1024]", "0.5", "--explain",
                  env={"KILN_CPU_FEATURES": "avx2"}, says="lanes along dimension 0")

    def test_odd_components(self):
        """Three bytes side by side: within 16 bytes, nine shuffles or blends take them apart, and nine put them together."""
        file = self.write("turn.cl", "kernel void turn(global const uchar *a, global uchar *o) {\n"
                          "  size_t i = 3 * get_global_id(0);\n  uchar x = a[i], y = a[i + 1], z = a[i + 2];\n"
                          "  o[i] = y + z; o[i + 1] = z ^ x; o[i + 2] = x | y; }\n")
        code = self.assembly(file, "-g", "65536", "[196608]=i", "[196608]", env={"KILN_CPU_FEATURES": "avx2"})
        loop = max(re.findall(r"^\.LBB.*?:$.*?\tj", code, re.M | re.S), key=lambda part: part.count("vpshufb"))
        self.assertLessEqual(loop.count("vpshufb") + loop.count("vpblendvb"), 18)

    def test_shared_numbers(self):
        """Look-ups in two rows at the same computed columns, and beside them: each column leaves its vector once."""
        file = self.write("rows.cl", "kernel void rows(global const float *a, global float *o) {\n"
                          "  int x = get_global_id(0), y = get_global_id(1), column = x * 0.37f;\n"
                          "  o[y * 256 + x] = a[y * 512 + column] + 2 * a[y * 512 + column + 1]\n"
                          "      + 3 * a[(y + 1) * 512 + column] + 4 * a[(y + 1) * 512 + column + 1];\n}\n")
        words = [file, "-g", "256,8", "[5120]=i%97", "[2048]"]
        column = "int((i%256)*0.37)"
        row = f"(int(i/256)*512+{column})"
        with_rows = f"1/1: ({row}%97) + 2*(({row}+1)%97) + 3*(({row}+512)%97) + 4*(({row}+513)%97)"
        env = {"KILN_CPU_FEATURES": "avx2"}
        self.kiln("run", *words, "--expect", with_rows, env=env, says="as expected")
        code = self.assembly(*words, env={**env, "KILN_WIDTH": "8"})
        self.assertLessEqual(code.count("\tvpextr"), 8)

    def test_unsigned_divisions(self):
        """Of ids, which are positive numbers: four at a time are converted in one instruction."""
        file = self.write("divide.cl", "kernel void divide(global uint *out, uint by) {\n"
                          "  out[get_global_id(0)] = (uint)get_global_id(0) / by;\n}\n")
        words = [file, "-g", "4096", "-l", "64", "[4096]", "7"]
        self.kiln("run", *words, "--expect", "0: floor(i/7)", says="as expected")
        self.assertEqual(self.assembly(*words).count("vsubpd"), 0)

    def test_explain_waiting(self):
        """Two vectors where each turn waits for what the one before stored; lanes where jumps by table are foretold badly."""
        file = self.write("waits.cl", "kernel void order(global double *out, global const double *in) {\n"
                          "  double d[16];\n  int p[16], i = get_global_id(0);\n"
                          "  for (int k = 0; k < 16; k++) d[k] = in[i + k], p[k] = k;\n"
                          "  for (int r = 0; r < 8; r++) for (int k = 0; k < 15; k++)\n"
                          "    if (d[p[k]] > d[p[k + 1]]) { int t = p[k]; p[k] = p[k + 1]; p[k + 1] = t; }\n"
                          "  double s = 0;\n  for (int k = 0; k < 16; k++) s += d[p[k]] * k;\n  out[i] = s;\n}\n"
                          "kernel void machine(global int *out, constant uchar *code, int n) {\n"
                          "  int a = get_global_id(0), b = 1, c = 0;\n"
                          "  for (int at = 0; at < n; at++)\n    switch (code[at] & 7) {\n"
                          "    case 0: a += b; break;\n    case 1: b = a * 3; break;\n    case 2: c ^= a; break;\n"
                          "    case 3: if (a & 1) at++; break;\n    case 4: a = a >> 1; break;\n    case 5: b -= c; break;\n"
                          "    case 6: c = c * 5 + 1; break;\n    default: a ^= 0x55;\n    }\n"
                          "  out[get_global_id(0)] = a + b + c;\n}\n")
        avx2 = {"KILN_CPU_FEATURES": "avx2"}
        self.kiln("run", file, "-k", "order", "-g", "256", "-l", "64", "(double)[256]", "(double)[271]=(i*7919)%1000",
                  "--explain", env=avx2, says="8 lanes along dimension 0")
        self.kiln("run", file, "-k", "machine", "-g", "256", "-l", "64", "[256]", "(uchar)[64]=i%11", "60", "--explain",
                  env=avx2, says="lanes along dimension 0")

    def test_explain_products(self):
        """Products of integers keep the processor waiting as those of floating-point numbers do."""
        steps = "x = x * y + y; y = y * x + x; " * 4
        file = self.write("products.cl", "kernel void products(global int16 *out, int a) {\n"
                          "  int16 x = a, y = (int16)get_local_id(0);\n"
                          "  for (int i = 0; i < 99; i++) { " + steps + "}\n  out[get_global_id(0)] = y;\n}\n")
        self.kiln("run", file, "-g", "256", "-l", "64", "[256]", "3", "--explain",
                  env={"KILN_CPU_FEATURES": "avx2"}, says="two work-items side by side")

    def test_explain_functions(self):
        """Lines of functions that stay functions are explained; distances between lanes reach them, and what prints stays."""
        file = self.write("called.cl", "__attribute__((noinline)) void put(global int *out, global const int *in, int i) {\n"
                          "  int v[4];\n  for (int k = 0; k < 4; k++) v[k & in[0]] = k;\n  out[i] = in[i] + v[in[i] & 3];\n}\n"
                          "__attribute__((noinline)) int told(int i) { printf(\"%d\", i); return i; }\n"
                          "kernel void k(global int *out, global const int *in) {\n  put(out, in, get_global_id(0));\n"
                          "  if (in[get_global_id(0)] < 0) out[0] = told(get_local_id(0));\n}\n")
        text = self.kiln("run", file, "-g", "64", "[64]", "[64]=i", "--explain", "-k", "k", says="lanes along dimension 0",
                         env={"KILN_INLINE": "unmarked", "KILN_CACHE_DIR": "/dev/null/none"})
        lines = [l.strip("| ") for l in text.splitlines()]
        start = lines.index(next(l for l in lines if l.startswith("4 |")))
        own = lines[start:lines.index(next(l for l in lines if l.startswith("5 |")))]
        self.assertIn("store contiguous", own)
        self.assertTrue(any("private memory" in l or "gathered" in l for l in own), own)
        self.assertIn("call as a vector", lines)
        self.assertIn("call as scalar code, for one lane after the other, masked", lines)

    def test_sizes(self):
        file = self.write("k.cl", "kernel void k(global uint *o) { size_t x = get_global_id(0), y = get_global_id(1),"
                          " z = get_global_id(2);\n o[(z - 3) * 8 + (y - 2) * 4 + x - 1] = get_local_size(0) * 100 +"
                          " get_global_size(1) * 10 + get_work_dim(); }")
        self.kiln("run", file, "-g", "4,2,2", "-l", "2,1,1", "-o", "1,2,3", "[16]", "--expect", "0: 223")
        self.kiln("run", file, "-g", "4,2,2", "-l", "3000000,1,1", "[16]", status=1, says="CL_INVALID_WORK_GROUP_SIZE")
        self.kiln("run", file, "[16]", status=1, says="no global size (-g) given")

    def test_build(self):
        file = self.write("k.cl", "kernel void k(global int *o) { o[0] = VALUE; }")
        self.kiln("run", file, "-g", "1", "-b", "-DVALUE=5", "[1]", "--expect", "0: 5")
        self.kiln("run", file, "-g", "1", "[1]", status=1, says=["does not build", "VALUE", "1:39", "^"])
        self.kiln("run", file, "-g", "1", "-b", "-DVALUE=5", "-k", "kk", "[1]", status=1, says="did you mean 'k'?")
        self.kiln("run", "missing.cl", "-g", "1", status=1, says="missing.cl: No such file or directory")
        self.kiln("run", ".", "-g", "1", status=1, says="Is a directory")
        self.kiln("run", file, "-g", "1", "-p", "no such platform", "[1]", status=1, says="the loader lists: Kiln")

    def test_directives(self):
        file = self.write("k.cl", "// run: -g 4 '[4]=i' --name twice\n// expect: 0: 2*i\n// run: -k thrice -g 4 '[4]=i'\n"
                          "// expect: 0: 3*i\nkernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n"
                          "kernel void thrice(global int *a) { a[get_global_id(0)] *= 3; }\n")
        self.assertEqual(self.kiln("run", file).count("as expected"), 2)
        self.assertEqual(self.kiln("run", file, "-k", "thrice").count("as expected"), 1)
        self.kiln("run", self.write("none.cl", SAXPY), status=2, says="has no `// run:` line")
        self.kiln("run", self.write("e.cl", "\n// expect: 0: 1\n"), status=1, says="e.cl:2: this `// expect:` line")
        wrong = self.write("w.cl", "// run: -g 4 '[4]=i'\n// expect: 0: i+\nkernel void k(global int *a) {}\n")
        self.kiln("run", wrong, status=1, says="a value expected")

    def test_stages(self):
        file = self.write("saxpy.cl", SAXPY)
        words = ["run", file, "-g", "8", "2", "[8]", "[8]"]
        stages = [line.split()[0] for line in self.kiln("run", "--dump", "list").splitlines()[1:]]
        self.assertIn("optimise", stages)
        for stage in stages:
            if stage not in ("merge", "resolve"):  # stages of links
                self.kiln(*words, "--dump", stage, says=f"kiln: after {stage}\n")
                self.kiln(*words, "--dump", stage, says=f"kiln: after {stage}\n")  # not from the cache
        text = self.kiln(*words, "--dump", "frontend,assembly")
        self.assertEqual(text.count("kiln: after"), 2)
        self.assertIn("ret", text)
        self.assertGreater(self.kiln(*words, "--dump", "all").count("kiln: after"), 10)

    def test_types_of_sizes(self):
        file = self.write("s.cl", "kernel void s(global size_t *a, global ptrdiff_t *b) { a[1] = b[1] = -(long)a[0]; }")
        self.kiln("run", file, "-g", "1", "[2]=5", "[2]", "--expect", "0: i==0?5:18446744073709551611",
                  "--expect", "1: i==0?0:0-5", says="as expected")

    def test_explain_atomics(self):
        """Ordered atomics are gathered by thread unless another atomic could show their order."""
        count = "  atomic_fetch_add((volatile atomic_int *)&bins[at[get_global_id(0)]], 1);\n"
        file = self.write("count.cl", "kernel void alone(global const int *at, global int *bins) {\n" + count + "}\n"
                          "kernel void watched(global const int *at, global int *bins, global int *flag) {\n" + count +
                          "  if (atomic_inc(flag) == 5) flag[1] = 1;\n}\n")
        words = ["run", file, "-g", "64", "-b", "-cl-std=CL3.0", "--explain", "[64]=i", "[64]"]
        self.kiln(*words, "-k", "alone", says="atomic one lane after the other, gathered by thread in large launches")
        text = self.kiln(*words, "[2]", "-k", "watched", says="atomic as scalar code, for one lane after the other")
        self.assertIn("atomic one for all lanes together", text)

    def test_explain(self):
        file = self.write("why.cl", """kernel void why(global const float *a, global const int *at, global float *b, int n) {
  int i = get_global_id(0);
  float v = a[i];
  if (v > 1)
    v += a[at[i]];
  b[2 * i] = v + a[n];
}
kernel void other(global int *a) { a[0] = 1; }
""")
        words = ["run", file, "-g", "64", "[256]", "[64]=i", "[256]", "3", "--explain"]
        text = self.kiln(*words)
        self.assertIn("kernel 'why', groups of 64 x 1 x 1:", text)
        self.assertNotIn("other", text)
        remarks, line = {}, None
        for row in text.splitlines():
            if row[:4].strip().isdigit():
                line = int(row[:4])
                self.assertIn("|", row)
            elif row.startswith("     |"):
                remarks.setdefault(line, []).append(row[7:])
        self.assertIn("load contiguous", remarks[3])
        self.assertIn("branch taken differently by lanes: both sides run, under masks", remarks[4])
        self.assertIn("load gathered or scattered: an address for each lane, as the index comes from memory, masked", remarks[5])
        self.assertIn("load contiguous, masked", remarks[5])
        self.assertIn("load at one address for all lanes", remarks[6])
        self.assertTrue(any(r.startswith("store strided, by whole rows and shuffles (2 elements)") for r in remarks[6]), remarks[6])
        self.kiln(*words, "-l", "8", says="groups of 8 x 1 x 1")
        self.kiln(*words, "-b", "-kiln-width=1", says="one work-item at a time: that is asked for")
        self.kiln(*words, "-b", "-kiln-width=pair", says="two work-items side by side, in scalar code: that is asked for")
        self.kiln(*words, "-p", "portable", status=1, says="--explain asks Kiln's compiler; platform 'portable' has none")

    def test_explain_unsigned(self):
        """Indices of type uint are as good as others where ids are too few to make them wrap."""
        file = self.write("u.cl", """kernel void u(global const uint *in, global uint *out) {
  uint i = 3 * get_global_id(0), a = in[i], b = in[i + 1], c = in[i + 2];
  out[i] = c;
  out[i + 1] = a;
  out[i + 2] = b;
}
""")
        text = self.kiln("run", file, "-g", "64", "[192]=i", "[192]", "--explain", "--expect", "1: i-i%3+(i%3+2)%3")
        self.assertIn("3 x load contiguous", text)
        self.assertEqual(3, text.count("store contiguous"), text)
        self.assertNotIn("tested before each vector", text)

    def test_explain_distances(self):
        """Steps of the launch in an int, and elements at distances that the program is given."""
        file = self.write("far.cl", """kernel void far(int n, global const float *x, int dx, global char *y, ulong dy) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    float v = x[i * dx];
    *(global float *)(y + i * dy) = v;
  }
}
""")
        text = self.kiln("run", file, "-g", "64", "256", "[256]", "1", "[1024]", "4", "--explain")
        self.assertIn("load contiguous, tested before each vector", text)
        self.assertIn("store contiguous, tested before each vector", text)
        self.assertNotIn("gathered", text)

    def test_explain_hints(self):
        """What a program tells the compiler costs no lane anything."""
        file = self.write("hints.cl", """static void twice(global const int *restrict in, global int *restrict out, int i) { out[i] = in[i] * 2; }
kernel void hints(global const int *in, global int *out) {
  int i = get_global_id(0), v = in[i];
  __builtin_assume(v >= 0);
  if (i < 0) __builtin_unreachable();
  if (__builtin_expect(v % 3 != 0, 1)) twice(in, out, i);
  else out[i] = __builtin_constant_p(v) ? 7 : v + 1;
}
""")
        text = self.kiln("run", file, "-g", "64", "[64]=i", "[64]", "--explain", "--expect", "1: i%3 ? i*2 : i+1")
        self.assertNotIn("scalar code", text)
        self.assertNotIn("call", text)

    def test_explain_windows(self):
        """Loops that begin and end where each work-item lies, but not beyond the edges."""
        file = self.write("window.cl", """kernel void window(global const uchar *in, global int *out, int n, int r) {
  int x = get_global_id(0), s = 0;
  for (int i = max(x - r, 0); i <= min(x + r, n - 1); i++) s = max(s, (int)in[i]);
  out[x] = s;
}
""")
        text = self.kiln("run", file, "-g", "1024", "(uchar)[1024]=i%256", "[1024]", "1024", "3", "--explain", "--expect",
                         "1: i%256<3||i%256>252 ? (i<3||i>1020 ? min(i+3,1023)%256 : 255) : i%256+3")
        self.assertIn("lanes along dimension 0", text)
        self.assertIn("load contiguous, tested before each vector, masked", text)
        self.assertNotIn("gathered", text)

    def test_explain_steps(self):
        """Neighbours that share an element: one load of fewer elements."""
        file = self.write("shared.cl", """kernel void shared(global const uchar *a, global uchar *o) {
  int i = get_global_id(0);
  o[i] = a[i & ~1] + 2 * a[i | 1] + a[i / 4];
}
""")
        text = self.kiln("run", file, "-g", "1024", "(uchar)[1024]=i%50", "(uchar)[1024]", "--explain", "--expect",
                         "1: a0[2*int(i/2)]+2*a0[2*int(i/2)+1]+a0[int(i/4)]")
        self.assertIn("3 x load of elements that lanes side by side share", text)

    def test_records_in_place(self):
        """Components of records that are changed in place are loaded and stored together: with AVX2 three rows, no
        stores under masks. Every second element is stored by itself."""
        file = self.write("place.cl", "kernel void place(global float *a, float f) {\n"
                          "  global float *p = a + 3 * get_global_id(0);\n  p[0] *= f; p[1] *= f; p[2] *= f;\n}\n"
                          "kernel void even(global float *a, global const float *b) {\n"
                          "  a[2 * get_global_id(0)] = b[get_global_id(0)];\n}\n")
        env = {"KILN_CPU_FEATURES": "avx2"}
        code = self.assembly(file, "-k", "place", "-g", "65536", "[196608]=i", "3", env=env)
        self.assertIn("vmulps", code)
        self.assertLessEqual(len(re.findall(r"vmovups\s+\(?[^,%]*\(%\w+[^)]*\), %ymm", code)), 6)
        self.assertNotIn("vmaskmov", code)
        self.assertNotIn("vmaskmov", self.assembly(file, "-k", "even", "-g", "65536", "[131072]", "[65536]", env=env))

    def test_volatile_rows(self):
        """Volatile accesses side by side are one access: a row loaded, a row stored."""
        file = self.write("row.cl", "kernel void row(global volatile float *a, global volatile float *b) {\n"
                          "  size_t i = get_global_id(0);\n  b[i] = a[i] * 2;\n}\n")
        self.kiln("run", file, "-g", "1024", "[1024]=i", "[1024]", "--explain", "--expect", "1: 2*i",
                  says=["load contiguous", "store contiguous"])
        code = self.assembly(file, "-g", "1024", "[1024]=i", "[1024]", env={"KILN_CPU_FEATURES": "avx2"})
        self.assertNotIn("vmovss", code)

    def test_pairs_sorted(self):
        """Work-items that swap at places of their own, or not, do so one after the other where masks have no registers."""
        file = self.write("sort.cl", "kernel void sort(global uint *k, global uint *v) {\n  local uint a[512], b[512];\n"
                          "  uint l = get_local_id(0), g = get_group_id(0) * 512 + l;\n"
                          "  a[l] = k[g]; a[l + 256] = k[g + 256]; b[l] = v[g]; b[l + 256] = v[g + 256];\n"
                          "  for (uint size = 2; size < 512; size *= 2)\n    for (uint s = size / 2; s > 0; s /= 2) {\n"
                          "      barrier(CLK_LOCAL_MEM_FENCE);\n      uint p = 2 * l - (l & (s - 1)), q = p + s;\n"
                          "      if ((a[p] > a[q]) == ((l & size / 2) != 0)) {\n        uint t = a[p]; a[p] = a[q]; a[q] = t;\n"
                          "        t = b[p]; b[p] = b[q]; b[q] = t;\n      }\n    }\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
                          "  k[g] = a[l]; k[g + 256] = a[l + 256]; v[g] = b[l]; v[g + 256] = b[l + 256];\n}\n")
        self.kiln("run", file, "-g", "1024", "-l", "256", "[2048]=(i*7919)%1009", "[2048]=i", "--explain",
                  env={"KILN_CPU_FEATURES": "avx2"}, says="store as scalar code, for one lane after the other")

    def test_neighbours_summed(self):
        """Where few lanes are on, each with an address of its own, they take turns in one loop."""
        file = self.write("sums.cl", "struct sums { float a, b, c; int n, other; };\n"
                          "kernel void sums(global const float *in, global float *out) {\n  local struct sums s[64];\n"
                          "  int l = get_local_id(0);\n  s[l].a = s[l].b = s[l].c = in[get_global_id(0)]; s[l].n = 1;\n"
                          "  for (int step = 1; step < 64; step *= 2) {\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
                          "    if (l % (2 * step) == 0) {\n      s[l].a += s[l + step].a; s[l].b += s[l + step].b;\n"
                          "      s[l].c += s[l + step].c; s[l].n += s[l + step].n;\n    }\n  }\n"
                          "  if (l == 0) out[get_group_id(0)] = s[0].a + s[0].b + s[0].c + s[0].n;\n}\n")
        for features in ("avx512", "avx2"):
            self.kiln("run", file, "-g", "1024", "-l", "64", "[1024]=i%13", "[16]", "--explain", "--expect",
                      "1: 64+3*sum(k,64*i,64*i+64,a0[k])", env={"KILN_CPU_FEATURES": features},
                      says="store as scalar code, for one lane after the other")

    def test_sums_in_registers(self):
        """Sums that fill the registers as OpenCL vectors, and would lie in memory as lanes of them, stay vectors."""
        file = self.write("sums.cl", "kernel void sums(global const float4 *a, global const float8 *b, global float8 *o, int n) {\n"
                          "  int x = get_global_id(0);\n  float8 " + ", ".join(f"s{k} = 0" for k in range(4)) + ";\n"
                          "  for (int i = 0; i < n; i++) {\n    float4 v = a[x * n + i]; float8 w = b[i];\n"
                          "    s0 = mad((float8)v.x, w, s0); s1 = mad((float8)v.y, w, s1);\n"
                          "    s2 = mad((float8)v.z, w, s2); s3 = mad((float8)v.w, w, s3);\n  }\n"
                          + "".join(f"  o[4 * x + {k}] = s{k};\n" for k in range(4)) + "}\n")
        self.kiln("run", file, "-g", "1024", "(float4)[65536]=1", "(float8)[64]=1", "(float8)[4096]", "64", "--explain",
                  env={"KILN_CPU_FEATURES": "avx2"}, says="one work-item at a time")

    def test_searches_in_texts(self):
        """Work-items that compare a text from their own places on run alone where masks have no loads of bytes."""
        file = self.write("grep.cl", """kernel void grep(global const uchar *text, constant uchar *what, int n, global uchar *o) {
  int i = get_global_id(0), k = 0;
  while (k < n && text[i + k] == what[k]) k++;
  o[i] = k == n;
}
""")
        words = ["run", file, "-g", "4096", "(uchar)[4104]=97+(i*7)%5", "(uchar)[8]=97+(i*7)%5", "8", "(uchar)[4096]",
                 "--explain", "--expect", "3: i%5==0"]
        self.kiln(*words, env={"KILN_CPU_FEATURES": "avx2"}, says="one work-item at a time")

    def test_masks_of_long_loops(self):
        """Masks that come from comparisons of 64 bits fill two registers with one vector."""
        file = self.write("hailstones.cl", """kernel void hailstones(global ulong *o) {
  ulong n = get_global_id(0) + 1, c = 0;
  while (n != 1) { n = n & 1 ? 3 * n + 1 : n >> 1; c++; }
  o[get_global_id(0)] = c;
}
""")
        text = self.kiln("run", file, "-g", "4096", "(ulong)[4096]", "--explain", env={"KILN_CPU_FEATURES": "avx2"})
        self.assertIn(": 8 lanes along dimension 0", text)

    def test_explain_array_loops(self):
        """Arrays become registers where loops say which element; few registers hold longs in few lanes."""
        file = self.write("state.cl", """kernel void state(global ulong *o, int n) {
  const int by[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
  ulong s[25];
  int i = get_global_id(0);
  for (int j = 0; j < 25; j++) s[j] = i * j;
  for (int r = 0; r < n; r++)
    for (int j = 0; j < 24; j++) s[j] = rotate(s[j], (ulong)by[j]) ^ (s[j] & ~s[j + 1]);
  for (int j = 0; j < 25; j++) o[i * 25 + j] = s[j];
}
""")
        words = "run", file, "-g", "64", "(ulong)[1600]", "0", "--explain", "--expect", "0: ((i-i%25)/25)*(i%25)"
        text = self.kiln(*words, env={"KILN_CPU_FEATURES": "sse4.2"})
        self.assertNotIn("of private memory", text)
        self.assertIn(": 2 lanes along dimension 0", text)

    def test_required_sub_groups(self):
        """Places in private objects may be computed anew in some turns of a loop with barriers."""
        file = self.write("places.cl", """struct place { int first[4]; long16 row; double4 at[4]; };
struct other { int8 row; int last; };
__attribute__((intel_reqd_sub_group_size(2)))
kernel void places(global uint *out, global const uint *in, uint n, struct place p) {
  uint item = get_local_linear_id();
  struct other o;
  for (uint turn = 0; turn < (n + (uint)get_group_id(0)) % 4; turn++) {
    if (in[item / 1000 + 1] % 3 == 1) {
      int *last = p.row.s0 != 1 ? &o.last : &o.last;
      *last = 1;
      work_group_barrier(1);
      if (!item) p.row = 1;
      for (int k = 0; k < 3; k++) p.at[item & 3] = 1;
    }
    if (item == 0) o.row = sub_group_non_uniform_broadcast((int8)(1), 3);
  }
}
""")
        self.kiln("compile", file, "-b", "-cl-std=CL3.0", says="kernels places")

    def test_width_in_vain(self):
        file = self.write("wait.cl", """kernel void wait(global int *a) {
  while (atomic_add(a, 0) == (int)get_global_id(0)) atomic_inc(a);
}
""")
        self.kiln("run", file, "-g", "1", "-b", "-kiln-width=8", "[1]",
                  says="kernel 'wait': -kiln-width=8 is not honoured: one work-item at a time: a loop may wait")
        self.kiln("run", file, "-g", "1", "-b", "-kiln-width=pair", "[1]",
                  says="kernel 'wait': -kiln-width=pair is not honoured: one work-item at a time: ")

    def test_loops_that_ask(self):
        lanes, one = "lanes along dimension 0", "one work-item at a time: a loop may wait"
        words = "-g", "64", "-b", "-kiln-explain"
        search = self.write("search.cl", """kernel void search(global const uint *keys, global const uint *count,
                                                               global uint *found, global uint *n) {
  volatile const uint one = 1;
  for (uint i = 0; i < *count; i++) {
    for (uint k = 0; k < 8 && keys[k] <= i; k++)
      if (keys[k] == i + get_global_id(0)) {
        uint at = atomic_add(n, one);
        if (at < 8) found[at] = i;
      }
  }
}
""")
        self.kiln("run", search, *words, "[8]", "[1]=9", "[8]", "[1]", says=lanes)
        take = "bool take(global int *lock) { return atomic_cmpxchg(lock, 0, 1) == 0; }\n"
        for how in "", "__attribute__((noinline)) ":
            file = self.write("take.cl", how + take + """kernel void wait(global int *lock, global int *n) {
  while (!take(lock));
  ++*n;
  atomic_xchg(lock, 0);
}
""")
            self.kiln("run", file, *words, "[1]", "[1]", says=one)
        file = self.write("state.cl", """kernel void wait(global int *lock, global int *n) {
  local int mine[64];
  int l = get_local_id(0);
  for (mine[l] = 0; mine[l] == 0;)
    if (atomic_cmpxchg(lock, 0, 1) == 0) mine[l] = 1;
  ++*n;
  atomic_xchg(lock, 0);
}
""")
        self.kiln("run", file, *words, "[1]", "[1]", says=one)
        walk = """kernel void walk(global const int2 *node, global int *found, global int *n, int size) {
  int stack[32], top = 1, me = get_global_id(0);
  stack[0] = 0;
  while (top > 0) {
    int2 children = node[stack[--top]];
    if (children.x < 0) {
      int at = atomic_inc(n);
      if (at < size) found[at] = me;
      %s
    } else if (top < 30) {
      stack[top++] = children.x;
      if (children.y > me) stack[top++] = children.y;
    }
  }
}
"""
        # by their cost, processors without AVX-512 would not choose lanes
        words = "-g", "64", "-b", "-kiln-explain -kiln-width=8"
        for more, what in ("", lanes), ("if (at == 7) stack[0] = 1;", one), ("if (at == 7) stack[top++] = 3;", one):
            self.kiln("run", self.write("walk.cl", walk.replace("%s", more)), *words, "[64]=-1", "[64]", "[1]", "64", says=what)

    def test_exits_at_barriers(self):
        loop = """kernel void k(global int *a, local int *part) {
  int l = get_local_id(0), n = get_local_size(0), sum = 0;
  for (int i = l; i < 5 * n; i += n) {
    %s
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += part[n - 1 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  a[get_global_id(0)] = sum;
}
"""
        switch = "switch (l & 3) { case 0: part[l] = 1; break; case 1: part[l] = l; break; case 2: part[l] = 3; break; case 3: part[l] = sum; }"
        breaks = "for (int j = 0; j < n; j++) for (int k = 0; k < 8; k++) { if (a[k] == l) break; part[l] += a[k + j] * k; }"
        for body in "part[l] = a[i];", switch, breaks:
            self.kiln("run", self.write("k.cl", loop.replace("%s", body)), "-g", "64", "-l", "64", "-b", "-kiln-explain", "[512]", "local[64]",
                      says="lanes along dimension 0")

    def test_volatile_variables(self):
        file = self.write("own.cl", """kernel void own(global int *a) {
  volatile int x[2];
  x[1] = a[get_global_id(0)];
  a[get_global_id(0)] = x[1] * 2;
}
""")
        self.kiln("run", file, "-g", "64", "-b", "-kiln-explain", "[64]", says="; 0 bytes private to a work-item")

    def test_width_of_sub_groups(self):
        file = self.write("sum.cl", "kernel void sum(global int *a) { a[get_global_id(0)] = sub_group_reduce_add(1); }")
        for width in "1", "2", "64":
            self.kiln("run", file, "-g", "64", "-b", f"-cl-std=CL3.0 -kiln-width={width}", "[64]",
                      says=f"kernel 'sum': -kiln-width={width} is not honoured: ")
        self.kiln("run", file, "-g", "64", "-b", "-cl-std=CL3.0 -kiln-explain", "[64]", says="lanes along dimension 0, a sub-group")
        file = self.write("wait.cl", """kernel void wait(global int *a) {
  while (atomic_add(a, 0) == 7) a[get_global_id(0)] = get_sub_group_size();
}
""")
        self.kiln("run", file, "-g", "1", "-b", "-cl-std=CL3.0 -kiln-explain", "[1]",
                  says="one work-item at a time, and sub-groups of one: a loop may wait")

    def test_compile(self):
        file = self.write("saxpy.cl", SAXPY)
        self.kiln("compile", file, "-o", "saxpy.bin", says="kernels saxpy")
        self.assertGreater((self.folder / "saxpy.bin").stat().st_size, 100)
        self.kiln("compile", self.write("bad.cl", "kernel void k( {}"), status=1, says="bad.cl does not build")


kiln.main()
