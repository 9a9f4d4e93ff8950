/* Clang, driven from memory. C++, because clang has no C interface for compiling: arguments and virtual files
 * in, an LLVM module, diagnostics as text and the list of files looked at out. Must not know what options or
 * devices mean.
 *
 * The compiler instance is run by hand instead of by CompilerInstance::ExecuteAction, which writes a summary
 * to stderr and records the bottom of the stack (clang then moves deep recursion to threads of 8 MB). */
#include "compiler/frontend.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendOptions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/ParsedAttr.h>
#include <llvm-c/Core.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <map>
#include <new>
#include <string>
#include <vector>

extern "C" {
#include "base/alloc.h"
#include "base/hash.h"
}

using namespace clang;
namespace vfs = llvm::vfs;

namespace {

/* The disk, remembering which files were there and which were not. Folders that exist are not recorded: what
 * was found or missed in them is. */
class RecordingFileSystem : public vfs::ProxyFileSystem {
public:
  enum Seen { Absent, Present };
  std::map<std::string, Seen> seen;

  explicit RecordingFileSystem(llvm::IntrusiveRefCntPtr<vfs::FileSystem> disk)
      : ProxyFileSystem(std::move(disk)) {}

  llvm::ErrorOr<vfs::Status> status(const llvm::Twine &path) override {
    auto result = ProxyFileSystem::status(path);
    if (!result) note(path, Absent);
    else if (!result->isDirectory()) note(path, Present);
    return result;
  }

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine &path) override {
    auto result = ProxyFileSystem::openFileForRead(path);
    note(path, result ? Present : Absent);
    return result;
  }

private:
  void note(const llvm::Twine &path, Seen what) {
    llvm::SmallString<256> absolute;
    path.toVector(absolute);
    if (makeAbsolute(absolute)) return;
    seen.emplace(absolute.str().str(), what);
  }
};

/* What the action gathers while clang runs. */
struct Findings {
  const kiln_frontend_job *job;
  bool dated = false;
};

class DateWatcher : public PPCallbacks {
  Findings &found;

public:
  explicit DateWatcher(Findings &f) : found(f) {}
  void MacroExpands(const Token &name, const MacroDefinition &definition, SourceRange,
                    const MacroArgs *) override {
    const MacroInfo *info = definition.getMacroInfo();
    if (info == nullptr || !info->isBuiltinMacro()) return;
    llvm::StringRef text = name.getIdentifierInfo()->getName();
    if (text == "__DATE__" || text == "__TIME__" || text == "__TIMESTAMP__") found.dated = true;
  }
};

/* Call expressions of every function body, handed to the caller's check. */
class CallChecker : public ASTConsumer, public kiln_frontend_reporter {
  Findings &found;
  DiagnosticsEngine &diagnostics;
  std::unique_ptr<MangleContext> mangler;
  std::vector<kiln_frontend_call> calls;
  std::vector<SourceLocation> places;
  std::map<const FunctionDecl *, std::pair<std::string, std::string>> names; /* written, symbol */
  std::vector<const Stmt *> work;

public:
  CallChecker(Findings &f, DiagnosticsEngine &d) : found(f), diagnostics(d) { error = report; }

  void HandleTranslationUnit(ASTContext &context) override {
    if (diagnostics.hasErrorOccurred()) return;
    mangler.reset(context.createMangleContext());
    for (const Decl *decl : context.getTranslationUnitDecl()->decls())
      if (const auto *function = dyn_cast<FunctionDecl>(decl))
        if (function->doesThisDeclarationHaveABody()) collect(function);
    found.job->check(found.job->user, calls.data(), calls.size(), this);
  }

private:
  static void report(kiln_frontend_reporter *self, size_t index, const char *message) {
    auto *checker = static_cast<CallChecker *>(self);
    unsigned id = checker->diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0");
    checker->diagnostics.Report(checker->places[index], id) << message;
  }

  const std::pair<std::string, std::string> &name_of(const FunctionDecl *function) {
    auto &entry = names[function->getCanonicalDecl()];
    if (!entry.first.empty()) return entry;
    entry.first = function->getNameAsString();
    if (mangler->shouldMangleDeclName(function)) {
      llvm::raw_string_ostream out(entry.second);
      mangler->mangleName(GlobalDecl(function), out);
    } else {
      entry.second = entry.first;
    }
    return entry;
  }

  /* Bodies are walked with a list of our own: expressions may nest deeply. */
  void collect(const FunctionDecl *caller) {
    work.assign(1, caller->getBody());
    while (!work.empty()) {
      const Stmt *statement = work.back();
      work.pop_back();
      if (statement == nullptr) continue;
      if (const auto *block = dyn_cast<BlockExpr>(statement)) work.push_back(block->getBody());
      if (isa<AsmStmt>(statement)) refuse_assembly(statement);
      if (const auto *call = dyn_cast<CallExpr>(statement)) add(caller, call);
      size_t first = work.size();
      for (const Stmt *child : statement->children()) work.push_back(child);
      std::reverse(work.begin() + (ptrdiff_t)first, work.end());
    }
  }

  void refuse_assembly(const Stmt *statement) {
    unsigned id =
        diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "inline assembly is not supported in OpenCL C");
    diagnostics.Report(statement->getBeginLoc(), id);
  }

  void add(const FunctionDecl *caller, const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    if (callee == nullptr) return;
    bool defined = callee->hasBody() || callee->getBuiltinID() != 0;
    const auto &from = name_of(caller), &to = name_of(callee);
    calls.push_back({from.first.c_str(), to.first.c_str(), from.second.c_str(), to.second.c_str(), defined});
    places.push_back(call->getBeginLoc());
  }
};

/* OpenCL C's endian(host) and endian(device), which clang lacks: on this device both name one order. */
struct EndianAttribute : public ParsedAttrInfo {
  EndianAttribute() {
    static constexpr Spelling spelling[] = {{ParsedAttr::AS_GNU, "endian"}};
    NumArgs = 1;
    Spellings = spelling;
  }
  AttrHandling handleDeclAttribute(Sema &, Decl *, const ParsedAttr &) const override {
    return AttributeApplied;
  }
};
const ParsedAttrInfoRegistry::Add<EndianAttribute> endian_attribute("endian", "byte order of a variable");

class KernelAction : public EmitLLVMOnlyAction {
  Findings &found;

public:
  KernelAction(Findings &f, llvm::LLVMContext *context) : EmitLLVMOnlyAction(context), found(f) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &instance, StringRef file) override {
    instance.getPreprocessor().addPPCallbacks(std::make_unique<DateWatcher>(found));
    std::unique_ptr<ASTConsumer> generator = EmitLLVMOnlyAction::CreateASTConsumer(instance, file);
    if (generator == nullptr || found.job->check == nullptr) return generator;
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<CallChecker>(found, instance.getDiagnostics()));
    consumers.push_back(std::move(generator));
    return std::make_unique<MultiplexConsumer>(std::move(consumers));
  }
};

std::string absolute_path(const vfs::FileSystem &files, llvm::StringRef path) {
  llvm::SmallString<256> absolute(path);
  (void)files.makeAbsolute(absolute);
  return absolute.str().str();
}

uint64_t hash_file(vfs::FileSystem &files, const std::string &path) {
  auto buffer = files.getBufferForFile(path);
  return buffer ? kiln_hash64((*buffer)->getBufferStart(), (*buffer)->getBufferSize()) : 0;
}

/* Hashes what clang itself read, so that a file changed meanwhile cannot slip through. */
std::map<std::string, uint64_t> hash_sources(SourceManager &sources, const vfs::FileSystem &files) {
  std::map<std::string, uint64_t> hashes;
  for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it) {
    auto buffer = it->second->getBufferIfLoaded();
    if (buffer)
      hashes[absolute_path(files, it->first.getName())] =
          kiln_hash64(buffer->getBufferStart(), buffer->getBufferSize());
  }
  return hashes;
}

char *duplicate(llvm::StringRef text) {
  char *copy = static_cast<char *>(kiln_alloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

void list_includes(RecordingFileSystem &disk, const std::map<std::string, uint64_t> &hashes,
                   kiln_frontend_result *result) {
  if (disk.seen.empty()) return;
  result->includes =
      static_cast<kiln_frontend_include *>(kiln_zalloc(disk.seen.size() * sizeof *result->includes));
  if (result->includes == nullptr) return;
  for (const auto &[path, what] : disk.seen) {
    kiln_frontend_include &entry = result->includes[result->num_includes];
    entry.path = duplicate(path);
    if (entry.path == nullptr) return;
    entry.absent = what == RecordingFileSystem::Absent;
    auto known = hashes.find(path);
    if (!entry.absent) entry.hash = known != hashes.end() ? known->second : hash_file(disk, path);
    result->num_includes++;
  }
}

bool parse_arguments(const kiln_frontend_job *job, CompilerInvocation &invocation, llvm::raw_ostream &log) {
  llvm::IntrusiveRefCntPtr<DiagnosticOptions> options(new DiagnosticOptions);
  DiagnosticsEngine diagnostics(new DiagnosticIDs, options, new TextDiagnosticPrinter(log, options.get()));
  return CompilerInvocation::CreateFromArgs(invocation, llvm::ArrayRef(job->args, job->num_args),
                                            diagnostics);
}

/* CompilerInstance::ExecuteAction without its messages and its mark of the stack's bottom. */
bool run(CompilerInstance &instance, FrontendAction &action, const FrontendInputFile &input) {
  if (!instance.createTarget()) return false;
  if (!action.BeginSourceFile(instance, input)) return false;
  if (llvm::Error failure = action.Execute()) llvm::consumeError(std::move(failure));
  action.EndSourceFile();
  return !instance.getDiagnostics().hasErrorOccurred();
}

} // namespace

void kiln_frontend_compile(const kiln_frontend_job *job, kiln_frontend_result *result) {
  *result = {};
  std::string log;
  llvm::raw_string_ostream stream(log);
  Findings found{job};

  llvm::IntrusiveRefCntPtr<RecordingFileSystem> disk(new RecordingFileSystem(vfs::getRealFileSystem()));
  llvm::IntrusiveRefCntPtr<vfs::InMemoryFileSystem> memory(new vfs::InMemoryFileSystem);
  llvm::IntrusiveRefCntPtr<vfs::OverlayFileSystem> files(new vfs::OverlayFileSystem(disk));
  files->pushOverlay(memory);
  for (size_t i = 0; i < job->num_files; i++) {
    const kiln_frontend_file &file = job->files[i];
    memory->addFile(absolute_path(*disk, file.path), 0,
                    llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(file.text, file.size), file.path));
  }

  auto invocation = std::make_shared<CompilerInvocation>();
  if (parse_arguments(job, *invocation, stream)) {
    CompilerInstance instance;
    auto source = llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(job->source, job->source_size), job->name);
    KernelAction action(found, llvm::unwrap(job->context));
    instance.setInvocation(invocation);
    instance.createDiagnostics(new TextDiagnosticPrinter(stream, &invocation->getDiagnosticOpts()));
    instance.setFileManager(new FileManager(invocation->getFileSystemOpts(), files));
    instance.createSourceManager(instance.getFileManager());
    FrontendInputFile input(source->getMemBufferRef(), InputKind(Language::OpenCL));
    if (run(instance, action, input)) result->module = llvm::wrap(action.takeModule().release());
    list_includes(*disk, hash_sources(instance.getSourceManager(), *files), result);
  }
  result->dated = found.dated;
  stream.flush();
  result->log = duplicate(log);
}

void kiln_frontend_result_finish(kiln_frontend_result *result) {
  for (size_t i = 0; i < result->num_includes; i++) kiln_free(result->includes[i].path);
  kiln_free(result->includes);
  kiln_free(result->log);
  if (result->module != nullptr) LLVMDisposeModule(result->module);
  *result = {};
}

static bool read_body(llvm::Function &function) {
  llvm::Error error = function.materialize();
  bool ok = !error;
  llvm::consumeError(std::move(error));
  return ok;
}

bool kiln_frontend_read_function(LLVMValueRef root) {
  llvm::Function &first = *llvm::unwrap<llvm::Function>(root);
  llvm::Module &module = *first.getParent();
  bool ok = read_body(first);
  for (bool again = ok; again;) { /* bodies that have been read use those that must be */
    again = false;
    for (llvm::Function &f : module)
      if (ok && f.isMaterializable() && !f.use_empty()) again = ok = read_body(f);
  }
  if (!ok) return false;
  for (llvm::Function &f : llvm::make_early_inc_range(module)) {
    if (!f.isMaterializable()) continue;
    f.deleteBody();
    f.eraseFromParent();
  }
  llvm::Error error = module.materializeAll();
  ok = !error;
  llvm::consumeError(std::move(error));
  return ok;
}

static void (*fatal_handler)(const char *);

static void on_fatal(void *, const char *reason, bool) { fatal_handler(reason); }

void kiln_frontend_catch_fatal(void (*fatal)(const char *reason)) {
  fatal_handler = fatal;
  llvm::install_fatal_error_handler(on_fatal, nullptr);
  llvm::install_bad_alloc_error_handler(on_fatal, nullptr);
  std::set_new_handler([] { fatal_handler("out of memory"); });
}

void kiln_frontend_fatal(const char *reason) { llvm::report_fatal_error(reason, false); }
void kiln_frontend_exhaust() {
  constexpr size_t block = 1 << 20, most = 1024; /* where the heap has no limit of its own (heap.c) */
  static char *volatile taken[most];
  for (size_t i = 0; i < most; i++) memset(taken[i] = new char[block], 1, block);
  llvm::report_bad_alloc_error("out of memory", false);
}
