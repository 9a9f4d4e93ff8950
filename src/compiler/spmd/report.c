/* Notes on instructions become lines of text, source line by source line; see report.h. */
#include "compiler/spmd/report.h"

#include "base/blob.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 160, MOST_TEXTS = 24 };

static struct kl_note *notes_of(struct kl_report *r, const struct kl_func *f) {
  struct kl_function_notes **end = &r->functions;
  for (; *end != NULL; end = &(*end)->next)
    if ((*end)->f == f) return (*end)->note;
  *end = kl_new(r->env, 1, struct kl_function_notes);
  **end = (struct kl_function_notes){.f = f, .note = kl_new(r->env, f->ninst, struct kl_note)};
  return (*end)->note;
}

void kiln_report_put(struct kl_report *r, const struct kl_func *f, uint32_t inst, struct kl_note note) {
  if (r == NULL) return;
  struct kl_note *there = &notes_of(r, f)[inst];
  if (there->fate == KL_FATE_NONE) *there = note;
}

/* ---- one instruction ---- */

static const char *kind_of(const struct kl_inst *inst) {
  switch (inst->op) {
  case LLVMLoad:
    return "load";
  case LLVMStore:
    return "store";
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return "atomic";
  case LLVMCall:
    return "call";
  case KL_PRINTF:
    return "printf";
  case KL_SUB_GROUP:
    return "sub-group function";
  case LLVMBr:
  case LLVMSwitch:
    return "branch";
  default:
    return "operation";
  }
}

static const char *form_text(const struct kl_note *note) {
  switch (note->fate) {
  case KL_FATE_ONCE:
    return "once for all lanes";
  case KL_FATE_VECTOR:
    return "as a vector";
  case KL_FATE_SHARED:
    return "at one address for all lanes";
  case KL_FATE_ROW:
    return "contiguous";
  case KL_FATE_REVERSED:
    return "contiguous, downwards";
  case KL_FATE_PITCH:
    return "strided, by whole rows and shuffles";
  case KL_FATE_APART:
    return "strided, each lane's together and transposed";
  case KL_FATE_RECORD:
    return "of elements side by side, each lane's together and transposed";
  case KL_FATE_STEPS:
    return "of elements that lanes side by side share";
  case KL_FATE_OWN:
    return "of private memory that lies lane by lane";
  case KL_FATE_TABLE:
    return "of a small table, which lies in registers";
  case KL_FATE_FAR:
    return "strided too far for rows: an address for each lane";
  case KL_FATE_ANY:
    return "gathered or scattered: an address for each lane";
  case KL_FATE_LANES:
    return "as scalar code, for one lane after the other";
  case KL_FATE_JOINT:
    return "one for all lanes together";
  case KL_FATE_TALLY:
    return "one lane after the other, gathered by thread in large launches";
  case KL_FATE_PARTED:
    return "taken differently by lanes: both sides run, under masks";
  default:
    return "";
  }
}

static void describe(const struct kl_inst *inst, const struct kl_note *note, char text[TEXT]) {
  char pitch[32] = "";
  if (note->pitch != 0) snprintf(pitch, sizeof pitch, " (%u elements)", note->pitch);
  snprintf(text, TEXT, "%s %s%s%s%s%s%s", kind_of(inst), form_text(note), pitch,
           note->why != NULL ? ", as " : "", note->why != NULL ? note->why : "",
           note->checked ? ", tested before each vector" : "", note->masked ? ", masked" : "");
}

/* ---- one source line ---- */

struct line_notes {
  char text[MOST_TEXTS][TEXT];
  unsigned count[MOST_TEXTS], n;
};

static void add_note(struct line_notes *l, const struct kl_inst *inst, const struct kl_note *note) {
  char text[TEXT];
  describe(inst, note, text);
  for (unsigned k = 0; k < l->n; k++)
    if (strcmp(l->text[k], text) == 0) {
      l->count[k]++;
      return;
    }
  if (l->n == MOST_TEXTS) return;
  memcpy(l->text[l->n], text, TEXT);
  l->count[l->n++] = 1;
}

static void put_text(struct kiln_blob *b, const char *text) { kiln_blob_put(b, text, strlen(text)); }

static void put_line(struct kiln_blob *b, const char *file, unsigned file_size, unsigned line,
                     const struct line_notes *l) {
  char number[32];
  kiln_blob_put(b, file, file_size);
  snprintf(number, sizeof number, ":%u: ", line);
  put_text(b, number);
  for (unsigned k = 0; k < l->n; k++) {
    snprintf(number, sizeof number, "%u x ", l->count[k]);
    if (l->count[k] > 1) put_text(b, number);
    put_text(b, l->text[k]);
    put_text(b, k + 1 < l->n ? "; " : "\n");
  }
}

/* ---- all ---- */

struct position {
  const char *file;
  unsigned file_size, line;
  uint32_t number; /* in the order of functions and instructions */
  const struct kl_inst *inst;
  const struct kl_note *note;
};

static int compare(const void *a, const void *b) {
  const struct position *p = a, *q = b;
  unsigned size = p->file_size < q->file_size ? p->file_size : q->file_size;
  int files = memcmp(p->file, q->file, size);
  if (files != 0) return files;
  if (p->file_size != q->file_size) return p->file_size < q->file_size ? -1 : 1;
  if (p->line != q->line) return p->line < q->line ? -1 : 1;
  return p->number < q->number ? -1 : 1;
}

static bool is_same_line(const struct position *p, const struct position *q) {
  return p->line == q->line && p->file_size == q->file_size && memcmp(p->file, q->file, p->file_size) == 0;
}

static uint32_t find_positions(const struct kl_function_notes *notes, uint32_t n, struct position *at) {
  for (uint32_t i = notes->f->narg; i < notes->f->ninst; i++) {
    const struct kl_inst *inst = &notes->f->inst[i];
    if (notes->note[i].fate == KL_FATE_NONE) continue;
    struct position p = {
        .number = n, .inst = inst, .note = &notes->note[i], .line = LLVMGetDebugLocLine(inst->v)};
    if (p.line != 0) p.file = LLVMGetDebugLocFilename(inst->v, &p.file_size);
    if (p.file != NULL) at[n++] = p;
  }
  return n;
}

char *kiln_report_text(const struct kl_report *r) {
  struct kiln_blob b = {0};
  uint32_t most = 0, n = 0;
  for (const struct kl_function_notes *f = r->functions; f != NULL; f = f->next) most += f->f->ninst;
  struct position *at = kl_new(r->env, most + 1, struct position);
  for (const struct kl_function_notes *f = r->functions; f != NULL; f = f->next) n = find_positions(f, n, at);
  qsort(at, n, sizeof *at, compare);
  for (uint32_t i = 0, k; i < n; i = k) {
    struct line_notes notes = {.n = 0};
    for (k = i; k < n && is_same_line(&at[i], &at[k]); k++) add_note(&notes, at[k].inst, at[k].note);
    put_line(&b, at[i].file, at[i].file_size, at[i].line, &notes);
  }
  kiln_blob_put(&b, "", 1);
  if (!b.failed) return (char *)b.data;
  kiln_blob_finish(&b);
  return NULL;
}
