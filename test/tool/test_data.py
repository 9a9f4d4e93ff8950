"""kiln run: buffers from and to raw files, CSV and PNG."""
import struct
import zlib

import kiln

DOUBLE = "kernel void k(global {0} *a) {{ a[get_global_id(0)] *= ({0})2; }}"


def png(width, height, rows, colour_type):
    """A PNG file of 8-bit rows."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    raw = b"".join(b"\0" + bytes(row) for row in rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)) \
        + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


class Data(kiln.Test):
    def test_raw(self):
        file = self.write("k.cl", DOUBLE.format("float"))
        data = self.write("in.raw", struct.pack("<4f", 1, 2, 3, 4))
        self.kiln("run", file, "-g", "4", f"@{data}", "--expect", "0: 2*(i+1)", "--out", "0:out.raw")
        self.assertEqual(struct.unpack("<4f", (self.folder / "out.raw").read_bytes()), (2, 4, 6, 8))
        self.kiln("run", file, "-g", "2", f"[2]=@{data}", "--expect", "0: 2*(i+1)")
        self.kiln("run", file, "-g", "2", f"[9]=@{data}", status=1, says="has 4 elements, not 9")
        self.kiln("run", file, "-g", "2", "@none.raw", status=1, says="none.raw: No such file")

    def test_csv(self):
        file = self.write("k.cl", DOUBLE.format("int2"))
        data = self.write("in.csv", "x,y\n1,2\n-3;4\n5 6\n")
        self.kiln("run", file, "-g", "3", f"@{data}", "--out", "0:out.csv")
        self.assertEqual((self.folder / "out.csv").read_text(), "2,4\n-6,8\n10,12\n")
        self.kiln("run", file, "-g", "3", f"@{data}", "--expect", "0: @out.csv", says="as expected")
        wrong = self.write("wrong.csv", "2,4\n-6,8\n10,13\n")
        self.kiln("run", file, "-g", "3", f"@{data}", "--expect", f"0: @{wrong}", status=1,
                  says="component 5 is 12, expected 13")

    def test_png(self):
        data = self.write("in.png", png(2, 2, [[10, 20], [30, 40]], 0))
        file = self.write("k.cl", DOUBLE.format("uchar"))
        self.kiln("run", file, "-g", "4", f"@{data}", "--expect", "0: 20*(i+1)", "--out", "0:out.png:2")
        self.kiln("run", file, "-g", "4", "@out.png", "--expect", "0: 40*(i+1)")
        file = self.write("f.cl", DOUBLE.format("float4"))  # RGBA, 0 to 1
        data = self.write("rgba.png", png(1, 2, [[51, 0, 0, 255], [0, 51, 0, 255]], 6))
        self.kiln("run", file, "-g", "2", f"@{data}", "--expect", "0: i==0||i==5 ? 0.4 : i%4==3 ? 2 : 0 ~ 1e-6")
        self.kiln("run", file, "-g", "2", f"@{data}", "--out", "0:o.png:3", status=1, says="2 pixels make no rows of 3")
        self.kiln("run", file, "-g", "2", f"@{self.write('bad.png', 'no picture')}", status=1, says="bad.png")

    def test_images(self):
        file = self.write("i.cl", "kernel void k(read_only image2d_t a, write_only image2d_t b) {\n"
                          "  int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
                          "  write_imagef(b, c, read_imagef(a, c).wzyx);\n}\n")
        options = ("run", "--build=-cl-std=CL2.0", file, "-g", "2,3")
        self.kiln(*options, "image[2,3]=7*i", "image[2,3]", "--expect", "1: a0[i-i%4+3-i%4]")
        self.kiln(*options, "(float4)image[2,3]=i/8", "(float4)image[2,g1]", "--expect", "1: a0[i-i%4+3-i%4]")
        data = self.write("rgba.png", png(2, 3, [[10 * k + x for x in range(8)] for k in range(3)], 6))
        self.kiln(*options, f"image[2,3]=@{data}", "image[2,3]", "--expect", "1: a0[i-i%4+3-i%4]", "--out", "1:o.png:2")
        self.kiln(*options, f"image[2,4]=@{data}", "image[2,3]", status=1, says="has 6 elements, not 8")
        self.kiln(*options, "[6]", "image[2,3]", status=1, says="takes image[WIDTH,HEIGHT]")
        self.kiln(*options, "(int4)image[2,3]", "image[2,3]", status=1, says="cannot hold elements of type int4")


kiln.main()
