/* Owns the order of instructions in long straight code; see schedule.h. LLVM has no C interface for it. Must
 * know nothing of kernels.
 *
 * LLVM's scheduler takes code that somewhere needs more registers than there are and puts it in the order
 * that needs fewest: chains of dependent operations one after the other, each waiting for its own results. A
 * processor makes up for that as far as it looks ahead. In code longer than that, as `x = x * x + c` many
 * times in vectors of 16, chains stay side by side as long as that does not add to the registers which are
 * too many already: 2.2 times as fast in float16 and 2.3 in int16 with AVX2. */
#include "compiler/schedule.h"

#include <llvm/CodeGen/MachineScheduler.h>
#include <llvm/CodeGen/TargetPassConfig.h>

namespace {

/* Instructions that a processor looks ahead. In shorter code the least registers are best: without
 * this limit a Mandelbrot set in float4 took 1.3 times as long. */
constexpr unsigned LookAhead = 256;

class Strategy : public llvm::GenericScheduler {
public:
  explicit Strategy(const llvm::MachineSchedContext *context) : GenericScheduler(context) {}

  void initPolicy(llvm::MachineBasicBlock::iterator begin, llvm::MachineBasicBlock::iterator end,
                  unsigned instructions) override {
    is_long = instructions > LookAhead;
    GenericScheduler::initPolicy(begin, end, instructions);
  }

protected:
  bool tryCandidate(SchedCandidate &best, SchedCandidate &candidate,
                    llvm::SchedBoundary *zone) const override {
    if (is_long) best.RPDelta.CriticalMax = candidate.RPDelta.CriticalMax = llvm::PressureChange();
    return GenericScheduler::tryCandidate(best, candidate, zone);
  }

private:
  bool is_long = false;
};

/* Instructions that are put in order at once. Each that sets the flags is compared with all others that do,
 * which in blocks of tens of thousands took a fifth of code generation. */
constexpr unsigned MostAtOnce = 4000;

/* The target's own scheduler, which knows the pairs of instructions that belong together, with our choice
 * between candidates, and in pieces where there is much to put in order. */
class Scheduler : public llvm::ScheduleDAGMILive {
public:
  static llvm::ScheduleDAGInstrs *create(llvm::MachineSchedContext *context) {
    std::unique_ptr<llvm::ScheduleDAGInstrs> usual(context->PassConfig->createMachineScheduler(context));
    auto *made = new Scheduler(context, std::make_unique<Strategy>(context));
    made->Mutations = std::move(static_cast<ScheduleDAGMI *>(usual.get())->*(&Scheduler::Mutations));
    return made;
  }

  void schedule() override {
    const unsigned pieces = (NumRegionInstrs + MostAtOnce - 1) / MostAtOnce;
    if (pieces <= 1) ScheduleDAGMILive::schedule();
    else schedule_pieces((NumRegionInstrs + pieces - 1) / pieces);
  }

private:
  using ScheduleDAGMILive::ScheduleDAGMILive;

  /* From the last to the first, as regions are. What a piece begins with may change as it is put in order;
   * what lies above stays. */
  void schedule_pieces(unsigned each) {
    llvm::MachineBasicBlock *block = BB;
    const auto first = RegionBegin;
    auto end = RegionEnd;
    for (bool is_last = false; !is_last;) {
      unsigned size = 0;
      auto begin = end;
      while (begin != first && size < each) size += !(--begin)->isDebugOrPseudoInstr();
      is_last = begin == first;
      const auto above = is_last ? begin : std::prev(begin);
      exitRegion();
      enterRegion(block, begin, end, size);
      if (size > 1) ScheduleDAGMILive::schedule();
      if (!is_last) end = std::next(above);
    }
  }
};

} // namespace

void kiln_schedule_register(void) {
  static llvm::MachineSchedRegistry registry("kiln", "long chains side by side", Scheduler::create);
}
