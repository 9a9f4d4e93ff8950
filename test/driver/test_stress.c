/* Thousands of random graphs: every edge is kept, every command ends, whoever waits and helps. */
#include "support.h"
#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static kiln_device *device;
static kiln_context *context;
static struct kiln_code *code;

enum { NODES = 40, QUEUES = 4, GRAPHS = 300, THREADS = 3 };

/* A command of the graph: how often it ran, and whether one it waits for had not. */
struct node {
  struct node *before[8];
  int num_before;
  uint64_t groups;
  bool native, fails;
  atomic_uint ran, early;
};

static void check_before(struct node *node) {
  for (int i = 0; i < node->num_before; i++) {
    struct node *before = node->before[i];
    if (atomic_load(&before->ran) != before->groups) atomic_fetch_add(&node->early, 1);
  }
}

static void run_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                       uint64_t last) {
  struct node *node = support_args(launch);
  check_before(node);
  if (node->fails) support_crash();
  for (uint64_t g = first; g < last; g++)
    for (volatile int spin = 0; spin < 20;) spin = spin + 1;
  atomic_fetch_add(&node->ran, (unsigned)(last - first));
}

static void CL_CALLBACK run_native(void *args) {
  struct node *node = args;
  check_before(node);
  atomic_fetch_add(&node->ran, 1);
}

static int set_up(void **state) {
  device = support_root();
  context = support_context();
  return kiln_code_wrap(run_groups, "stress", &code) == CL_SUCCESS ? 0 : -1;
}

static int tear_down(void **state) {
  kiln_code_unload(device->backend, code);
  kiln_unref(&context);
  kiln_unref(&device);
  return 0;
}

struct graph {
  unsigned seed;
  bool failing;
  struct node nodes[NODES];
  cl_event events[NODES];
  kiln_queue *queues[QUEUES];
  int errors;
};

/* Edges lead to earlier nodes that do not fail, so that what must have run is known. */
static cl_uint choose_waits(struct graph *g, int i, cl_event *waits) {
  struct node *node = &g->nodes[i];
  int wanted = i == 0 ? 0 : rand_r(&g->seed) % 8;
  for (int w = 0; w < wanted; w++) {
    int j = rand_r(&g->seed) % i;
    if (g->nodes[j].fails) continue;
    waits[node->num_before] = g->events[j];
    node->before[node->num_before++] = &g->nodes[j];
  }
  return (cl_uint)node->num_before;
}

static void add_node(struct graph *g, int i) {
  struct node *node = &g->nodes[i];
  memset(node, 0, sizeof *node);
  cl_event waits[8];
  cl_uint num_waits = choose_waits(g, i, waits);
  kiln_queue *queue = g->queues[rand_r(&g->seed) % QUEUES];
  node->native = rand_r(&g->seed) % 5 == 0;
  node->fails = g->failing && !node->native && rand_r(&g->seed) % 10 == 0;
  node->groups = node->native ? 1
                              : (uint64_t)(rand_r(&g->seed) % 3 == 0 ? rand_r(&g->seed) % 2000
                                                                     : 1 + rand_r(&g->seed) % 4);
  cl_int err = node->native ? support_native(queue, run_native, node, num_waits, waits, &g->events[i])
                            : support_range(queue, code, node->groups, node, num_waits, waits, &g->events[i]);
  g->errors += err != CL_SUCCESS;
}

static void wait_somehow(struct graph *g) {
  switch (rand_r(&g->seed) % 3) {
  case 0:
    kiln_events_wait(NODES, g->events);
    break;
  case 1:
    for (int i = NODES - 1; i >= 0; i--) kiln_events_wait(1, &g->events[i]);
    break;
  default:
    for (int q = 0; q < QUEUES; q++) kiln_queue_finish(g->queues[q]);
  }
}

static void check_graph(struct graph *g) {
  for (int i = 0; i < NODES; i++) {
    struct node *node = &g->nodes[i];
    cl_int expected = node->fails && node->groups > 0 ? CL_OUT_OF_RESOURCES : CL_COMPLETE;
    g->errors += g->events[i]->status != expected || node->early != 0;
    g->errors += expected == CL_COMPLETE && node->ran != node->groups;
    support_release(g->events[i]);
  }
}

static void *run_graphs(void *data) {
  struct graph *g = data;
  for (int round = 0; round < GRAPHS; round++) {
    for (int i = 0; i < NODES; i++) add_node(g, i);
    wait_somehow(g);
    check_graph(g);
  }
  return NULL;
}

static void run_threads(bool failing) {
  static struct graph graphs[THREADS];
  pthread_t threads[THREADS];
  kiln_queue *queues[QUEUES];
  for (int q = 0; q < QUEUES; q++)
    assert_int_equal(
        kiln_queue_create(context, device, q % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &queues[q]),
        CL_SUCCESS);
  for (int t = 0; t < THREADS; t++) {
    graphs[t] = (struct graph){.seed = (unsigned)t * 77 + 5, .failing = failing};
    memcpy(graphs[t].queues, queues, sizeof queues);
    pthread_create(&threads[t], NULL, run_graphs, &graphs[t]);
  }
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    assert_int_equal(graphs[t].errors, 0);
  }
  for (int q = 0; q < QUEUES; q++) kiln_unref(&queues[q]);
}

static void random_graphs(void **state) { run_threads(false); }

static void random_graphs_with_faults(void **state) {
  support_faults();
  run_threads(true);
}

int main(void) {
  support_faults();
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs),
                                     cmocka_unit_test(random_graphs_with_faults)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
