/* Owns the call-graph checks: recursion, which OpenCL C forbids and clang accepts, and calls of functions
 * that nobody defines. Works on lists of calls, from the source (with places) or from a linked module. */
#include "compiler/checks.h"

#include "base/alloc.h"
#include "compiler/builtins.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function of the graph; its calls are order[first .. first + count). */
struct node {
  const char *symbol, *name;
  size_t first, count, next; /* next: calls already followed */
  size_t via;                /* the call through which the walk came here */
  enum { NEW, OPEN, CLOSED } state;
};

struct graph {
  const struct kiln_frontend_call *calls;
  size_t *order; /* call indices, sorted by caller */
  struct node *nodes;
  size_t num_nodes;
  size_t *stack; /* open nodes */
};

static int by_caller(const void *a, const void *b, void *user) {
  const struct kiln_frontend_call *calls = user;
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  int order = strcmp(calls[x].caller_symbol, calls[y].caller_symbol);
  return order != 0 ? order : (x > y) - (x < y);
}

static int by_symbol(const void *key, const void *element) {
  return strcmp(key, ((const struct node *)element)->symbol);
}

static bool graph_init(struct graph *g, const struct kiln_frontend_call *calls, size_t num_calls) {
  *g = (struct graph){.calls = calls,
                      .order = kiln_alloc(num_calls * sizeof *g->order),
                      .nodes = kiln_zalloc(num_calls * sizeof *g->nodes),
                      .stack = kiln_alloc(num_calls * sizeof *g->stack)};
  if (g->order == NULL || g->nodes == NULL || g->stack == NULL) return false;
  for (size_t i = 0; i < num_calls; i++) g->order[i] = i;
  qsort_r(g->order, num_calls, sizeof *g->order, by_caller, (void *)calls);
  for (size_t i = 0; i < num_calls; i++) {
    const struct kiln_frontend_call *call = &calls[g->order[i]];
    if (i == 0 || strcmp(g->nodes[g->num_nodes - 1].symbol, call->caller_symbol) != 0)
      g->nodes[g->num_nodes++] =
          (struct node){.symbol = call->caller_symbol, .name = call->caller, .first = i};
    g->nodes[g->num_nodes - 1].count++;
  }
  return true;
}

static void graph_finish(struct graph *g) {
  kiln_free(g->order);
  kiln_free(g->nodes);
  kiln_free(g->stack);
}

/* The open nodes from `node` to the top of the stack, and back: "f -> g -> f". */
static void report_cycle(const struct graph *g, size_t depth, size_t node, size_t call,
                         struct kiln_frontend_reporter *reporter) {
  char text[1024] = "recursion is not allowed in OpenCL C: ";
  size_t at = strlen(text), from = depth;
  while (g->stack[from - 1] != node) from--;
  for (size_t i = from - 1; i < depth && at < sizeof text; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s -> ", g->nodes[g->stack[i]].name);
  if (at < sizeof text) snprintf(text + at, sizeof text - at, "%s", g->nodes[node].name);
  reporter->error(reporter, call, text);
}

/* Depth first, with a stack of its own: call chains may be long. */
static void walk(struct graph *g, size_t root, struct kiln_frontend_reporter *reporter) {
  size_t depth = 0;
  g->nodes[root].state = OPEN;
  g->stack[depth++] = root;
  while (depth > 0) {
    struct node *node = &g->nodes[g->stack[depth - 1]];
    if (node->next == node->count) {
      node->state = CLOSED;
      depth--;
      continue;
    }
    size_t call = g->order[node->first + node->next++];
    struct node *to = bsearch(g->calls[call].callee_symbol, g->nodes, g->num_nodes, sizeof *to, by_symbol);
    if (to == NULL || to->state == CLOSED) continue;
    if (to->state == OPEN) {
      report_cycle(g, depth, (size_t)(to - g->nodes), call, reporter);
    } else {
      to->state = OPEN;
      g->stack[depth++] = (size_t)(to - g->nodes);
    }
  }
}

bool kiln_check_recursion(const struct kiln_frontend_call *calls, size_t num_calls,
                          struct kiln_frontend_reporter *reporter) {
  struct graph g;
  bool ok = graph_init(&g, calls, num_calls);
  for (size_t i = 0; ok && i < g.num_nodes; i++)
    if (g.nodes[i].state == NEW) walk(&g, i, reporter);
  graph_finish(&g);
  return ok;
}

static bool is_resolved(const struct kiln_frontend_call *call) {
  const char *symbol = call->callee_symbol;
  return call->defined || strncmp(symbol, "llvm.", 5) == 0 || kiln_builtin_is_lowered(symbol) ||
         kiln_builtin_exists(symbol);
}

void kiln_check_unresolved(const struct kiln_frontend_call *calls, size_t num_calls,
                           struct kiln_frontend_reporter *reporter) {
  for (size_t i = 0; i < num_calls; i++) {
    if (is_resolved(&calls[i])) continue;
    char text[512];
    snprintf(text, sizeof text, "unresolved function: '%s' is called but not defined", calls[i].callee);
    reporter->error(reporter, i, text);
  }
}

void kiln_check_forbidden(const struct kiln_frontend_call *calls, size_t num_calls,
                          struct kiln_frontend_reporter *reporter) {
  static const char *const prefixes[] = {
      "__builtin_alloca",  "__builtin_setjmp",     "__builtin_longjmp", "__builtin_return_address",
      "__builtin_frame_",  "__builtin_eh_",        "__builtin_va_",     "__builtin_coro_",
      "__builtin_unwind_", "__builtin_call_with_", "__builtin_os_log",  "__builtin_init_dwarf"};
  for (size_t i = 0; i < num_calls; i++)
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
      if (strncmp(calls[i].callee, prefixes[k], strlen(prefixes[k])) != 0) continue;
      char text[256];
      snprintf(text, sizeof text, "'%s' is not available in OpenCL C", calls[i].callee);
      reporter->error(reporter, i, text);
    }
}

/* ---- calls of a module ---- */

static bool push_call(struct kiln_frontend_call **calls, size_t *num, LLVMValueRef caller,
                      LLVMValueRef callee) {
  if ((*num & (*num - 1)) == 0) { /* grows at powers of two */
    void *more = kiln_realloc(*calls, (*num == 0 ? 1 : *num * 2) * sizeof **calls);
    if (more == NULL) return false;
    *calls = more;
  }
  size_t length;
  const char *from = LLVMGetValueName2(caller, &length), *to = LLVMGetValueName2(callee, &length);
  (*calls)[(*num)++] = (struct kiln_frontend_call){.caller = from,
                                                   .callee = to,
                                                   .caller_symbol = from,
                                                   .callee_symbol = to,
                                                   .defined = !LLVMIsDeclaration(callee)};
  return true;
}

static bool push_function(struct kiln_frontend_call **calls, size_t *num, LLVMValueRef function) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i)) {
      LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;
      if (callee != NULL && !push_call(calls, num, function, callee)) return false;
    }
  return true;
}

struct kiln_frontend_call *kiln_check_module_calls(LLVMModuleRef module, size_t *num_out) {
  struct kiln_frontend_call *calls = NULL;
  size_t num = 0;
  *num_out = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (!push_function(&calls, &num, f)) {
      kiln_free(calls);
      return NULL;
    }
  *num_out = num;
  return calls != NULL ? calls : kiln_alloc(1);
}
