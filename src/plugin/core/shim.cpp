/*
 * The only C++ file: it registers darn's callbacks with clang's pass pipeline, hands the module
 * to C (plugin.c), reads the one thing of debug info that LLVM's C API does not tell, and splits
 * blocks, which that cannot do.
 */
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

extern "C" {
#include "plugin/core/plugin.h"
}

using namespace llvm;

namespace
{
template <void (*Step)(LLVMModuleRef)> struct Pass : PassInfoMixin<Pass<Step>> {
    PreservedAnalyses run(Module &M, ModuleAnalysisManager &)
    {
        Step(wrap(&M));
        return PreservedAnalyses::none();
    }
    static bool isRequired()
    {
        return true;
    }
};

template <void (*Step)(LLVMValueRef)> struct FunctionPass : PassInfoMixin<FunctionPass<Step>> {
    PreservedAnalyses run(Function &F, FunctionAnalysisManager &)
    {
        Step(wrap(&F));
        return PreservedAnalyses::all();
    }
};

void addKeeper(FunctionPassManager &FPM, OptimizationLevel)
{
    FPM.addPass(FunctionPass<darn_plugin_keep>());
}

// Instead of what the last round of a loop has stored it takes a register, and for the first round
// it loads what the source has there: a load without a place, which nobody would watch.
bool isWanted(StringRef Pass, Any)
{
    return Pass != "LoopLoadEliminationPass";
}

void registerCallbacks(PassBuilder &PB)
{
    darn_plugin_load();
    if (auto *Callbacks = PB.getPassInstrumentationCallbacks())
        Callbacks->registerShouldRunOptionalPassCallback(isWanted);
    PB.registerPeepholeEPCallback(addKeeper);
    PB.registerVectorizerStartEPCallback(addKeeper);
    PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel Level) {
        darn_plugin_set_level(Level.getSpeedupLevel(), Level.getSizeLevel());
        MPM.addPass(Pass<darn_plugin_prepare>());
    });
    PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(Pass<darn_plugin_instrument>());
    });
}
} // namespace

int64_t darn_shim_expression_offset(LLVMMetadataRef MD)
{
    const auto *E = unwrap<DIExpression>(MD);
    const auto Fragment = E->getFragmentInfo();

    if (E->getNumElements() == 0)
        return 0;
    return Fragment && E->getNumElements() == 3 ? int64_t(Fragment->OffsetInBits / 8) : -1;
}

LLVMBasicBlockRef darn_shim_split(LLVMValueRef Before)
{
    auto *I = unwrap<Instruction>(Before);

    return wrap(I->getParent()->splitBasicBlock(I));
}

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
    darn_plugin_check();
    return {LLVM_PLUGIN_API_VERSION, "darn", "1", registerCallbacks};
}
