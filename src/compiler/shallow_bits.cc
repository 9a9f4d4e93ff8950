/* How deep instruction selection looks for bits that are known; there is no option for it. Must know nothing
 * of kernels.
 *
 * For each addition LLVM asks which bits of both sides can be set, and goes six operations back, where each
 * has two operands: up to 64 each time, which in hash functions took a third of code generation. Three
 * operations back gave the same code for 122 of the benchmark's 125 kernels, and seven instructions less in
 * all of the others. The linker leads LLVM's calls here (--wrap), as far as they cross its object files;
 * where LLVM is a shared library they stay as they are. To look less far is to know less, never something
 * wrong. */
#include <llvm/CodeGen/SelectionDAG.h>
#include <llvm/CodeGen/TargetLowering.h>
#include <llvm/Support/KnownBits.h>

/* The names that --wrap gives to a function of LLVM and to ours in its place. A member function is called as
 * one whose first parameter is the object. */
#define REAL(name) __asm__("__real_" name)
#define WRAP(name) __asm__("__wrap_" name)
#define OF_ELEMENTS "_ZNK4llvm12SelectionDAG16computeKnownBitsENS_7SDValueERKNS_5APIntEj"
#define OF_ALL "_ZNK4llvm12SelectionDAG16computeKnownBitsENS_7SDValueEj"
#define ARE_ZERO "_ZNK4llvm12SelectionDAG17MaskedValueIsZeroENS_7SDValueERKNS_5APIntEj"
#define ARE_APART "_ZNK4llvm12SelectionDAG19haveNoCommonBitsSetENS_7SDValueES1_"
#define DEMANDED                                                                                             \
  "_ZNK4llvm14TargetLowering20SimplifyDemandedBitsENS_7SDValueERKNS_5APIntES4_RNS_9KnownBitsERNS0_"          \
  "17TargetLoweringOptEjb"

using llvm::APInt;
using llvm::KnownBits;
using llvm::SDValue;
using Dag = const llvm::SelectionDAG;
using Lowering = const llvm::TargetLowering;
using Change = llvm::TargetLowering::TargetLoweringOpt;

KnownBits kiln_real_of_elements(Dag *, SDValue, const APInt &, unsigned) REAL(OF_ELEMENTS);
KnownBits kiln_real_of_all(Dag *, SDValue, unsigned) REAL(OF_ALL);
bool kiln_real_are_zero(Dag *, SDValue, const APInt &, unsigned) REAL(ARE_ZERO);
bool kiln_real_demanded(Lowering *, SDValue, const APInt &, const APInt &, KnownBits &, Change &, unsigned,
                        bool) REAL(DEMANDED);

KnownBits kiln_wrap_of_elements(Dag *, SDValue, const APInt &, unsigned) WRAP(OF_ELEMENTS);
KnownBits kiln_wrap_of_all(Dag *, SDValue, unsigned) WRAP(OF_ALL);
bool kiln_wrap_are_zero(Dag *, SDValue, const APInt &, unsigned) WRAP(ARE_ZERO);
bool kiln_wrap_are_apart(Dag *, SDValue, SDValue) WRAP(ARE_APART);
bool kiln_wrap_demanded(Lowering *, SDValue, const APInt &, const APInt &, KnownBits &, Change &, unsigned,
                        bool) WRAP(DEMANDED);

namespace {
constexpr unsigned Start = llvm::SelectionDAG::MaxRecursionDepth - 3; /* operations already gone back */

unsigned further(unsigned depth) { return depth < Start ? Start : depth; }
} // namespace

KnownBits kiln_wrap_of_elements(Dag *dag, SDValue v, const APInt &elements, unsigned depth) {
  return kiln_real_of_elements(dag, v, elements, further(depth));
}

KnownBits kiln_wrap_of_all(Dag *dag, SDValue v, unsigned depth) {
  return kiln_real_of_all(dag, v, further(depth));
}

bool kiln_wrap_are_zero(Dag *dag, SDValue v, const APInt &mask, unsigned depth) {
  return kiln_real_are_zero(dag, v, mask, further(depth));
}

bool kiln_wrap_are_apart(Dag *dag, SDValue a, SDValue b) {
  return KnownBits::haveNoCommonBitsSet(kiln_real_of_all(dag, a, Start), kiln_real_of_all(dag, b, Start));
}

bool kiln_wrap_demanded(Lowering *lowering, SDValue v, const APInt &bits, const APInt &elements,
                        KnownBits &known, Change &change, unsigned depth, bool single_use) {
  return kiln_real_demanded(lowering, v, bits, elements, known, change, further(depth), single_use);
}
