/*
 * The only C++ file: it registers darn's callbacks with clang's pass pipeline, hands the module
 * to C (plugin.c), reads what LLVM's C API does not tell of metadata, or tells only by a copy of
 * all operands of a node, and splits and copies blocks, which that cannot do.
 */
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/IPO/ConstantMerge.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

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

// The last two passes of the pipeline look at all constants. Those of the site records, tens of
// thousands, are all different and all in use, so these passes come first.
void addLast(ModulePassManager &MPM, OptimizationLevel Level)
{
    if (Level != OptimizationLevel::O0) {
        MPM.addPass(GlobalDCEPass());
        MPM.addPass(ConstantMergePass());
    }
    MPM.addPass(Pass<darn_plugin_instrument>());
}

// Instead of what the last round of a loop has stored it takes a register, and for the first round
// it loads what the source has there: a load without a place, which nobody would watch.
bool isWanted(StringRef Pass, Any)
{
    if (darn_plugin_is_done() && (Pass == "GlobalDCEPass" || Pass == "ConstantMergePass"))
        return false;
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
    PB.registerOptimizerLastEPCallback(addLast);
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

unsigned darn_shim_operand_count(LLVMMetadataRef MD)
{
    const auto *N = dyn_cast_or_null<MDNode>(unwrap(MD));

    return N ? N->getNumOperands() : 0;
}

LLVMMetadataRef darn_shim_operand(LLVMMetadataRef MD, unsigned Index)
{
    return Index < darn_shim_operand_count(MD) ? wrap(unwrap<MDNode>(MD)->getOperand(Index).get())
                                               : nullptr;
}

const char *darn_shim_string(LLVMMetadataRef MD, unsigned *Length)
{
    const auto *S = dyn_cast_or_null<MDString>(unwrap(MD));

    *Length = S ? unsigned(S->getLength()) : 0;
    return S ? S->getString().data() : nullptr;
}

uint64_t darn_shim_number(LLVMMetadataRef MD)
{
    const auto *C = dyn_cast_or_null<ConstantAsMetadata>(unwrap(MD));
    const auto *I = C ? dyn_cast<ConstantInt>(C->getValue()) : nullptr;

    return I && I->getBitWidth() <= 64 ? I->getZExtValue() : UINT64_MAX;
}

LLVMBasicBlockRef darn_shim_split(LLVMValueRef Before)
{
    auto *I = unwrap<Instruction>(Before);

    return wrap(I->getParent()->splitBasicBlock(I));
}

// Phis outside learn that their blocks can be reached from the copies, too.
static void addEdges(BasicBlock *From, BasicBlock *Copy, const SmallPtrSetImpl<BasicBlock *> &Inside,
                     const ValueToValueMapTy &Map)
{
    SmallPtrSet<BasicBlock *, 4> Successors(succ_begin(From), succ_end(From));

    for (BasicBlock *S : Successors) {
        if (Inside.count(S))
            continue;
        for (PHINode &P : S->phis()) {
            for (unsigned I = 0, E = P.getNumIncomingValues(); I != E; ++I) {
                Value *V = P.getIncomingValue(I), *New = Map.lookup(V);

                if (P.getIncomingBlock(I) == From)
                    P.addIncoming(New ? New : V, Copy);
            }
        }
    }
}

// Who uses the value outside gets that of the version that was run.
static void joinValue(SSAUpdater &Updater, Instruction &I, Value *Copy, BasicBlock *CopyBlock,
                      const SmallPtrSetImpl<BasicBlock *> &Inside)
{
    SmallVector<Use *, 8> Outer;

    for (Use &U : I.uses()) {
        auto *User = cast<Instruction>(U.getUser());
        auto *P = dyn_cast<PHINode>(User);

        if (!Inside.count(P ? P->getIncomingBlock(U) : User->getParent()))
            Outer.push_back(&U);
    }
    if (Outer.empty())
        return;
    Updater.Initialize(I.getType(), "");
    Updater.AddAvailableValue(I.getParent(), &I);
    Updater.AddAvailableValue(CopyBlock, Copy);
    for (Use *U : Outer)
        Updater.RewriteUse(*U);
}

LLVMBasicBlockRef darn_shim_copy(const LLVMBasicBlockRef *Blocks, unsigned Count)
{
    ValueToValueMapTy Map;
    SmallVector<BasicBlock *, 16> Copies;
    SmallPtrSet<BasicBlock *, 32> Inside;
    SSAUpdater Updater;

    for (unsigned I = 0; I != Count; ++I) {
        BasicBlock *B = unwrap(Blocks[I]), *Copy = CloneBasicBlock(B, Map, "", B->getParent());

        for (Instruction &In : *Copy)
            In.dropDbgRecords(); // a debugger finds variables in the first version
        Map[B] = Copy;
        Copies.push_back(Copy);
        Inside.insert(B);
        Inside.insert(Copy);
    }
    remapInstructionsInBlocks(Copies, Map);
    for (unsigned I = 0; I != Count; ++I) {
        BasicBlock *B = unwrap(Blocks[I]);

        for (PHINode &P : Copies[I]->phis()) // nothing leads from blocks that are never reached
            P.removeIncomingValueIf(
                [&](unsigned Index) { return !Inside.count(P.getIncomingBlock(Index)); }, false);
        addEdges(B, Copies[I], Inside, Map);
    }
    for (unsigned I = 0; I != Count; ++I) {
        for (Instruction &In : *unwrap(Blocks[I])) {
            if (!In.getType()->isVoidTy())
                joinValue(Updater, In, Map[&In], Copies[I], Inside);
        }
    }
    return wrap(Copies[0]);
}

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
    darn_plugin_check();
    return {LLVM_PLUGIN_API_VERSION, "darn", "1", registerCallbacks};
}
