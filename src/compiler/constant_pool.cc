/* Owns how code generation finds a constant that a function has in memory already, in place of LLVM's
 * function (--wrap). Must know nothing of kernels.
 *
 * LLVM compares each constant with all others of the function, by folding casts of both where their types
 * differ: three quarters of the time for a switch of 2,500 cases. Beyond the first ones only what is the very
 * same constant is found: LLVM has each only once by type and value. */

#include <llvm/CodeGen/MachineConstantPool.h>

#include <algorithm>
#include <vector>

namespace {
constexpr size_t Compared = 16;
}

extern "C" unsigned __real__ZN4llvm19MachineConstantPool20getConstantPoolIndexEPKNS_8ConstantENS_5AlignE(
    llvm::MachineConstantPool *pool, const llvm::Constant *constant, llvm::Align align);

extern "C" unsigned __wrap__ZN4llvm19MachineConstantPool20getConstantPoolIndexEPKNS_8ConstantENS_5AlignE(
    llvm::MachineConstantPool *pool, const llvm::Constant *constant, llvm::Align align) {
  /* The pool's own alignment is LLVM's to set; few functions have more than one. */
  auto &entries = const_cast<std::vector<llvm::MachineConstantPoolEntry> &>(pool->getConstants());
  if (entries.size() < Compared || align > pool->getConstantPoolAlign())
    return __real__ZN4llvm19MachineConstantPool20getConstantPoolIndexEPKNS_8ConstantENS_5AlignE(
        pool, constant, align);
  for (llvm::MachineConstantPoolEntry &entry : entries) {
    if (entry.isMachineConstantPoolEntry() || entry.Val.ConstVal != constant) continue;
    entry.Alignment = std::max(entry.Alignment, align);
    return unsigned(&entry - entries.data());
  }
  entries.emplace_back(constant, align);
  return unsigned(entries.size() - 1);
}
