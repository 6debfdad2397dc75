// What is mutated, room by room, and the tests that have to notice: those of the room itself, without long random walks.
module.exports = {
  context: {
    mutate: ['core/context/{edits,groups,entry-list,projection,segment-view,integrity}.ts'],
    tests: ['test/context/!(walks|hostile-logs).test.ts'],
  },
  compaction: {
    mutate: ['plugins/compaction/{plan,trim}.ts'],
    tests: ['test/plugins/compaction/{plan,trim}.test.ts'],
  },
  budget: {
    mutate: ['plugins/auto-read-budget/*.ts'],
    tests: ['test/plugins/auto-read-budget/*.test.ts'],
  },
  tokens: {
    mutate: ['core/tokens/{ledger,level,anchors,fixed-part,entry-weights,prefix-sums,measurement}.ts'],
    tests: ['test/tokens/*.test.ts'],
  },
  kernel: {
    mutate: ['core/kernel/{hook-router,hook-run,hook-errors,graph,cycles,plugin-shape}.ts'],
    tests: ['test/kernel/*.test.ts'],
  },
  agent: {
    mutate: ['core/agent/{session-driver,reply-calls,request,loop,live-conversation,run,run-end,background}.ts'],
    tests: [
      'test/agent/{background,conversation,driver,loop,reply-calls,requested-compaction,requests,run,waiting-prompts}.test.ts',
    ],
  },
  guard: {
    mutate: ['plugins/guard/{input-limit,worker-done,worker-guard}.ts'],
    tests: [
      'test/plugins/guard/{input-limit,worker-done,worker-guard}.test.ts',
      'test/plugins/compaction/{llm-failures,llm-summaries}.test.ts',
    ],
  },
  apply: {
    mutate: ['plugins/compaction/{apply,breaker,rest,thresholds,net}.ts'],
    tests: [
      'test/plugins/compaction/{apply,automatic,auto-read,background,breaker,compaction,llm-summaries,net,pre-compact,rest,staff,state-tools,thresholds}.test.ts',
      'test/plugins/file-tools/compaction.test.ts',
    ],
  },
  store: {
    mutate: ['core/session/{jsonl-store,log-file,log-file-writer,file-lock}.ts'],
    tests: ['test/session/{jsonl-store,stores,file-lock,failing-disk}.test.ts'],
  },
  nats: {
    mutate: ['core/bus/nats/{offer-machine,work-machine,ask-ledger,ask-window,job-registry}.ts'],
    tests: ['test/bus/nats/{offer-machine,work-machine,ask-ledger,job-machines,job-registry}.test.ts'],
  },
};
