/* Builds the builtin library: splits bitcode modules into one bitcode blob
 * per function and writes them with an index (format.h).
 *
 *   builtin_pack OUT.bin IN.bc...
 *
 * A function is copied instruction by instruction into a module of its own in
 * the same context, so types and constants are shared and the whole costs time
 * in proportion to the code. Dropped on the way: metadata, string attributes,
 * value names, triple and layout (the compiler sets its own), lifetime markers.
 * Runs at build time only; must not know what any builtin does, except that
 * some undefined names are lowered by the compiler. */
#include "format.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct blob {
  char *name;
  char *bytes;
  size_t size;
  char **deps;
  size_t ndeps;
};

struct pack {
  LLVMContextRef context;
  struct blob *blobs;
  size_t count, cap;
};

/* Old value to new value: open addressing, power-of-two size. */
struct map {
  LLVMValueRef *from, *to;
  size_t size, used;
};

struct copier {
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  struct map map;
  struct blob *blob;
};

static void die(const char *what, const char *detail) {
  fprintf(stderr, "builtin_pack: %s: %s\n", what, detail);
  exit(1);
}

static void *grow(void *p, size_t bytes) {
  p = realloc(p, bytes);
  if (p == NULL) die("out of memory", "");
  return p;
}

static char *copy_string(const char *s, size_t len) {
  char *p = grow(NULL, len + 1);
  memcpy(p, s, len);
  p[len] = '\0';
  return p;
}

static size_t map_slot(const struct map *m, LLVMValueRef v) {
  size_t i = ((uintptr_t)v >> 4) * 0x9e3779b97f4a7c15u >> 32 & (m->size - 1);
  while (m->from[i] != NULL && m->from[i] != v) i = (i + 1) & (m->size - 1);
  return i;
}

static void map_put(struct map *m, LLVMValueRef from, LLVMValueRef to);

static void map_grow(struct map *m) {
  struct map old = *m;
  m->size = old.size ? old.size * 2 : 256;
  m->from = calloc(m->size, sizeof *m->from);
  m->to = calloc(m->size, sizeof *m->to);
  if (m->from == NULL || m->to == NULL) die("out of memory", "");
  m->used = 0;
  for (size_t i = 0; i < old.size; i++)
    if (old.from[i] != NULL) map_put(m, old.from[i], old.to[i]);
  free(old.from);
  free(old.to);
}

static void map_put(struct map *m, LLVMValueRef from, LLVMValueRef to) {
  if (2 * m->used >= m->size) map_grow(m);
  size_t i = map_slot(m, from);
  if (m->from[i] == NULL) m->used++;
  m->from[i] = from;
  m->to[i] = to;
}

static LLVMValueRef map_get(const struct map *m, LLVMValueRef from) {
  return m->to[map_slot(m, from)];
}

static void map_clear(struct map *m) {
  if (m->size == 0) map_grow(m);
  memset(m->from, 0, m->size * sizeof *m->from);
  memset(m->to, 0, m->size * sizeof *m->to);
  m->used = 0;
}

static const char *value_name(LLVMValueRef v) {
  size_t len;
  return LLVMGetValueName2(v, &len);
}

static bool starts_with(const char *s, const char *prefix) {
  return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* All but strings, which name compilers and processors; noundef, because lanes that are masked off may pass
 * anything; and unwind tables. */
static bool is_kept(LLVMAttributeRef a) {
  if (LLVMIsStringAttribute(a)) return false;
  unsigned kind = LLVMGetEnumAttributeKind(a);
  return kind != LLVMGetEnumAttributeKindForName("noundef", 7) &&
         kind != LLVMGetEnumAttributeKindForName("uwtable", 7);
}

static void copy_attributes(LLVMValueRef to, LLVMValueRef from, unsigned index) {
  LLVMAttributeRef list[64];
  unsigned n = LLVMGetAttributeCountAtIndex(from, index);
  if (n > 64) die("too many attributes", value_name(from));
  LLVMGetAttributesAtIndex(from, index, list);
  for (unsigned i = 0; i < n; i++)
    if (is_kept(list[i])) LLVMAddAttributeAtIndex(to, index, list[i]);
}

static LLVMValueRef copy_prototype(struct copier *c, LLVMValueRef from) {
  LLVMValueRef to = LLVMAddFunction(c->module, value_name(from), LLVMGlobalGetValueType(from));
  if (!starts_with(value_name(from), "llvm.")) LLVMSetFunctionCallConv(to, LLVMSPIRFUNCCallConv);
  copy_attributes(to, from, (unsigned)LLVMAttributeFunctionIndex);
  for (unsigned i = 0; i <= LLVMCountParams(from); i++) copy_attributes(to, from, i);
  map_put(&c->map, from, to);
  return to;
}

static LLVMValueRef copy_callee(struct copier *c, LLVMValueRef from) {
  const char *name = value_name(from);
  if (!starts_with(name, "llvm.")) {
    struct blob *b = c->blob;
    b->deps = grow(b->deps, (b->ndeps + 1) * sizeof *b->deps);
    b->deps[b->ndeps++] = copy_string(name, strlen(name));
  }
  return copy_prototype(c, from);
}

static LLVMValueRef copy_table(struct copier *c, LLVMValueRef from) {
  LLVMTypeRef type = LLVMGlobalGetValueType(from);
  LLVMValueRef init = LLVMGetInitializer(from);
  if (init == NULL || !LLVMIsGlobalConstant(from)) die("not a constant table", value_name(from));
  unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(from));
  LLVMValueRef to = LLVMAddGlobalInAddressSpace(c->module, type, value_name(from), space);
  LLVMSetInitializer(to, init);
  LLVMSetGlobalConstant(to, true);
  LLVMSetLinkage(to, LLVMPrivateLinkage);
  LLVMSetAlignment(to, LLVMGetAlignment(from));
  LLVMSetUnnamedAddress(to, LLVMGlobalUnnamedAddr);
  map_put(&c->map, from, to);
  return to;
}

static LLVMValueRef copy_constant(struct copier *c, LLVMValueRef v);

static LLVMValueRef copy_constant_expression(struct copier *c, LLVMValueRef v) {
  LLVMValueRef ops[8];
  int n = LLVMGetNumOperands(v);
  if (n > 8) die("constant expression too long", value_name(v));
  for (int i = 0; i < n; i++) ops[i] = copy_constant(c, LLVMGetOperand(v, (unsigned)i));
  switch (LLVMGetConstOpcode(v)) {
  case LLVMGetElementPtr:
    return LLVMConstInBoundsGEP2(LLVMGetGEPSourceElementType(v), ops[0], ops + 1, (unsigned)n - 1);
  case LLVMAddrSpaceCast: return LLVMConstAddrSpaceCast(ops[0], LLVMTypeOf(v));
  default: die("unexpected constant expression", LLVMPrintValueToString(v)); return NULL;
  }
}

static LLVMValueRef copy_constant(struct copier *c, LLVMValueRef v) {
  LLVMValueRef known = map_get(&c->map, v);
  if (known != NULL) return known;
  if (LLVMIsAFunction(v)) return copy_callee(c, v);
  if (LLVMIsAGlobalVariable(v)) return copy_table(c, v);
  if (LLVMIsAConstantExpr(v)) return copy_constant_expression(c, v);
  return v; /* lives in the context */
}

static LLVMValueRef copy_operand(struct copier *c, LLVMValueRef v) {
  if (LLVMIsAConstant(v)) return copy_constant(c, v);
  LLVMValueRef known = map_get(&c->map, v);
  if (known == NULL) die("unexpected operand", LLVMPrintValueToString(v));
  return known;
}

static void drop_metadata(LLVMValueRef inst) {
  size_t n;
  LLVMValueMetadataEntry *list = LLVMInstructionGetAllMetadataOtherThanDebugLoc(inst, &n);
  for (unsigned i = 0; i < n; i++)
    LLVMSetMetadata(inst, LLVMValueMetadataEntriesGetKind(list, i), NULL);
  LLVMDisposeValueMetadataEntries(list);
}

/* Markers that only matter to optimisations which have already run. */
static bool is_clutter(LLVMValueRef inst) {
  if (LLVMGetInstructionOpcode(inst) != LLVMCall) return false;
  LLVMValueRef callee = LLVMGetCalledValue(inst);
  if (!LLVMIsAFunction(callee)) return false;
  const char *name = value_name(callee);
  return starts_with(name, "llvm.lifetime.") || starts_with(name, "llvm.assume") ||
         starts_with(name, "llvm.experimental.noalias.scope");
}

/* Some sources are compiled for another triple, with another calling convention. */
static bool is_plain_call(LLVMValueRef inst) {
  return LLVMGetInstructionOpcode(inst) == LLVMCall && !starts_with(value_name(LLVMGetCalledValue(inst)), "llvm.");
}

static void copy_instructions(struct copier *c, LLVMBasicBlockRef block) {
  LLVMBasicBlockRef to = LLVMValueAsBasicBlock(map_get(&c->map, LLVMBasicBlockAsValue(block)));
  LLVMPositionBuilderAtEnd(c->builder, to);
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    if (is_clutter(i)) continue;
    LLVMValueRef copy;
    if (LLVMIsAPHINode(i)) {
      copy = LLVMBuildPhi(c->builder, LLVMTypeOf(i), "");
    } else {
      copy = LLVMInstructionClone(i);
      LLVMInsertIntoBuilder(c->builder, copy);
      drop_metadata(copy);
      if (is_plain_call(copy)) LLVMSetInstructionCallConv(copy, LLVMSPIRFUNCCallConv);
    }
    map_put(&c->map, i, copy);
  }
}

static void copy_phi_inputs(struct copier *c, LLVMValueRef phi, LLVMValueRef copy) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef value = copy_operand(c, LLVMGetIncomingValue(phi, i));
    LLVMValueRef block = map_get(&c->map, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(phi, i)));
    LLVMBasicBlockRef from = LLVMValueAsBasicBlock(block);
    LLVMAddIncoming(copy, &value, &from, 1);
  }
}

static void copy_operands(struct copier *c, LLVMBasicBlockRef block) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    if (is_clutter(i)) continue;
    LLVMValueRef copy = map_get(&c->map, i);
    if (LLVMIsAPHINode(i)) {
      copy_phi_inputs(c, i, copy);
      continue;
    }
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
      LLVMSetOperand(copy, (unsigned)k, copy_operand(c, LLVMGetOperand(i, (unsigned)k)));
  }
}

static void copy_body(struct copier *c, LLVMValueRef from) {
  LLVMValueRef to = copy_prototype(c, from);
  for (unsigned i = 0; i < LLVMCountParams(from); i++)
    map_put(&c->map, LLVMGetParam(from, i), LLVMGetParam(to, i));
  LLVMContextRef context = LLVMGetModuleContext(c->module);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMBasicBlockRef copy = LLVMAppendBasicBlockInContext(context, to, "");
    map_put(&c->map, LLVMBasicBlockAsValue(b), LLVMBasicBlockAsValue(copy));
  }
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b; b = LLVMGetNextBasicBlock(b))
    copy_instructions(c, b);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b; b = LLVMGetNextBasicBlock(b))
    copy_operands(c, b);
}

/* ---- blocks that every module carries and no builtin uses ---- */

/* LLVM writes the names of all metadata kinds and operand bundles into each module, two thirds of a blob, and
 * parsing them costs as much as the rest. A block with a number that the reader does not know is skipped by its
 * length, so the number in the block's header is changed; nothing moves.
 * Bitstream: little-endian bits; header = 1 (3 bits), number (8), abbreviation width 3 (4), padding to a word;
 * a word of length; then records = 3 (3 bits), code (6), count (6), and each operand in groups of five bits. */
enum { UNKNOWN_BLOCK = 100, HEADER_BITS = 15 };

struct bits {
  uint64_t value;
  unsigned count;
};

static void put_bits(struct bits *b, uint64_t value, unsigned width) {
  b->value |= value << b->count;
  b->count += width;
}

static void put_groups(struct bits *b, unsigned value) { /* variable width, six bits a group */
  for (; value >= 32; value >>= 5) put_bits(b, (value & 31) | 32, 6);
  put_bits(b, value, 6);
}

static bool get_bit(const char *bytes, size_t at) { return (unsigned char)bytes[at >> 3] >> (at & 7) & 1; }

static void set_bit(char *bytes, size_t at, bool on) {
  bytes[at >> 3] = (char)((bytes[at >> 3] & ~(1 << (at & 7))) | on << (at & 7));
}

/* The first record of a block whose operands are [number,] text: its first 48 bits or fewer. */
static struct bits first_record(unsigned code, int number, const char *text) {
  struct bits b = {0};
  put_bits(&b, 3, 3);
  put_groups(&b, code);
  put_groups(&b, (unsigned)strlen(text) + (number >= 0));
  if (number >= 0) put_groups(&b, (unsigned)number);
  for (; *text != '\0' && b.count <= 48; text++) put_groups(&b, (unsigned char)*text);
  return b;
}

static void hide_block(struct blob *b, unsigned block, struct bits record) {
  uint64_t mask = (UINT64_C(1) << record.count) - 1, word, header = 1 | block << 3 | 3 << 11;
  size_t body = 0;
  do {
    body += 4;
    if (body + 8 > b->size) die("no such block in", b->name);
    memcpy(&word, b->bytes + body, 8);
  } while ((word & mask) != record.value);
  size_t last = (body - 4) * 8 - 1; /* before the length */
  while (!get_bit(b->bytes, last)) last--;
  size_t start = last - 12; /* the header's last bit that is 1 */
  for (size_t i = 0; i < HEADER_BITS; i++)
    if (get_bit(b->bytes, start + i) != (header >> i & 1)) die("unexpected block header in", b->name);
  for (size_t i = 0; i < 8; i++) set_bit(b->bytes, start + 3 + i, UNKNOWN_BLOCK >> i & 1);
}

static void hide_unused_blocks(struct blob *b) {
  hide_block(b, 22, first_record(6, 0, "dbg")); /* METADATA_KIND_BLOCK */
  hide_block(b, 21, first_record(1, -1, "deopt")); /* OPERAND_BUNDLE_TAGS_BLOCK */
}

static void pack_function(struct pack *p, struct copier *c, LLVMValueRef function) {
  if (p->count == p->cap) {
    p->cap = p->cap ? p->cap * 2 : 1024;
    p->blobs = grow(p->blobs, p->cap * sizeof *p->blobs);
  }
  struct blob *b = &p->blobs[p->count++];
  memset(b, 0, sizeof *b);
  const char *name = value_name(function);
  b->name = copy_string(name, strlen(name));
  c->blob = b;
  map_clear(&c->map);
  c->module = LLVMModuleCreateWithNameInContext("", p->context);
  copy_body(c, function);
  LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(c->module);
  b->size = LLVMGetBufferSize(bytes);
  b->bytes = grow(NULL, b->size);
  memcpy(b->bytes, LLVMGetBufferStart(bytes), b->size);
  hide_unused_blocks(b);
  LLVMDisposeMemoryBuffer(bytes);
  LLVMDisposeModule(c->module);
}

static void pack_file(struct pack *p, struct copier *c, const char *path) {
  LLVMMemoryBufferRef buffer;
  LLVMModuleRef module;
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) die(path, message);
  if (LLVMParseBitcodeInContext2(p->context, buffer, &module)) die(path, "not bitcode");
  LLVMDisposeMemoryBuffer(buffer);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) pack_function(p, c, f);
  LLVMDisposeModule(module);
}

static int compare_blobs(const void *a, const void *b) {
  return strcmp(((const struct blob *)a)->name, ((const struct blob *)b)->name);
}

static struct blob *find_blob(const struct pack *p, const char *name) {
  struct blob key = {.name = (char *)(uintptr_t)name};
  return bsearch(&key, p->blobs, p->count, sizeof *p->blobs, compare_blobs);
}

/* Names that stay undefined because the compiler lowers them. */
static bool is_lowered(const char *mangled) {
  static const char *const names[] = {"barrier", "work_group_barrier", "get_work_dim"};
  const char *name = mangled + 2 + strspn(mangled + 2, "0123456789");
  if (strncmp(name, "get_", 4) == 0 || strstr(mangled, "__kiln_") != NULL) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (starts_with(name, names[i])) return true;
  return false;
}

struct output {
  char *bytes;
  size_t size, cap;
};

static size_t append(struct output *o, const void *bytes, size_t size) {
  size_t at = o->size;
  if (o->size + size > o->cap) {
    o->cap = 2 * (o->cap + size);
    o->bytes = grow(o->bytes, o->cap);
  }
  if (bytes != NULL) memcpy(o->bytes + at, bytes, size);
  else memset(o->bytes + at, 0, size);
  o->size += size;
  return at;
}

/* Writes one blob's dependencies; returns how many. */
static uint32_t append_deps(struct output *o, const struct pack *p, const struct blob *b) {
  uint32_t n = 0;
  for (size_t i = 0; i < b->ndeps; i++) {
    const struct blob *dep = find_blob(p, b->deps[i]);
    if (dep == NULL) {
      if (!is_lowered(b->deps[i])) die(b->name, b->deps[i]);
      continue;
    }
    uint32_t number = (uint32_t)(dep - p->blobs);
    append(o, &number, sizeof number);
    n++;
  }
  return n;
}

/* FNV-1a, eight bytes at a time; the file's size is rounded up to 8. */
static uint64_t hash_bytes(const char *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u, word;
  for (size_t i = 0; i + 8 <= size; i += 8) {
    memcpy(&word, bytes + i, 8);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

static struct output lay_out(const struct pack *p) {
  struct output o = {0};
  size_t entries_size = p->count * sizeof(struct kiln_pack_entry);
  struct kiln_pack_header header = {.magic = KILN_PACK_MAGIC, .count = (uint32_t)p->count};
  struct kiln_pack_entry *entries = grow(NULL, entries_size + 1);
  append(&o, NULL, sizeof header);
  size_t entries_at = append(&o, NULL, entries_size);
  header.deps = (uint32_t)o.size;
  uint32_t deps = 0;
  for (size_t i = 0; i < p->count; i++) {
    entries[i].first_dep = deps;
    deps += entries[i].dep_count = append_deps(&o, p, &p->blobs[i]);
  }
  for (size_t i = 0; i < p->count; i++)
    entries[i].name = (uint32_t)append(&o, p->blobs[i].name, strlen(p->blobs[i].name) + 1);
  for (size_t i = 0; i < p->count; i++) {
    append(&o, NULL, -o.size & 7);
    entries[i].blob = (uint32_t)append(&o, p->blobs[i].bytes, p->blobs[i].size);
    entries[i].blob_size = (uint32_t)p->blobs[i].size;
  }
  append(&o, NULL, -o.size & 7);
  header.size = (uint32_t)o.size;
  header.hash = hash_bytes(o.bytes + sizeof header, o.size - sizeof header);
  memcpy(o.bytes, &header, sizeof header);
  memcpy(o.bytes + entries_at, entries, entries_size);
  free(entries);
  return o;
}

int main(int argc, char **argv) {
  if (argc < 3) die("usage", "builtin_pack OUT.bin IN.bc...");
  struct pack p = {.context = LLVMContextCreate()};
  LLVMContextSetDiscardValueNames(p.context, true);
  struct copier c = {.builder = LLVMCreateBuilderInContext(p.context)};
  for (int i = 2; i < argc; i++) pack_file(&p, &c, argv[i]);
  qsort(p.blobs, p.count, sizeof *p.blobs, compare_blobs);
  for (size_t i = 1; i < p.count; i++)
    if (strcmp(p.blobs[i - 1].name, p.blobs[i].name) == 0) die("defined twice", p.blobs[i].name);
  struct output o = lay_out(&p);
  FILE *file = fopen(argv[1], "wb");
  if (file == NULL || fwrite(o.bytes, 1, o.size, file) != o.size || fclose(file) != 0)
    die("cannot write", argv[1]);
  printf("%zu builtins, %zu bytes\n", p.count, o.size);
  return 0;
}
