// The three majors of the AI SDK behind one face: their mock models, how a reply of theirs is written, how a run is made.
import { jsonSchema, tool } from 'ai6';

const IMPORTS = {
  'AI SDK 5': () => Promise.all([import('ai5'), import('ai5/test')]),
  'AI SDK 6': () => Promise.all([import('ai6'), import('ai6/test')]),
  'AI SDK 7': () => Promise.all([import('ai7'), import('ai7/test')]),
};

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

/** A major with what the tests need of it. */
async function load(name, version) {
  const [ai, test] = await IMPORTS[name]();
  const Mock = test[`MockLanguageModelV${version}`];
  const nested = version > 2;
  const reason = (word) => (nested ? { unified: word, raw: word } : word);
  const usage = (input, output) =>
    nested
      ? {
          inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: output, text: output, reasoning: 0 },
        }
      : { inputTokens: input, outputTokens: output, totalTokens: input + output };
  const system = (text) => (version === 4 ? { instructions: text } : { system: text });
  return {
    name,
    version,
    ai,
    Mock,
    Agent: ai.ToolLoopAgent ?? ai.Experimental_Agent,
    reason,
    usage,
    system,
    stopAfter: ai.isStepCount ?? ai.stepCountIs,
    tools: (read) => ({
      read_file: (ai.tool ?? tool)({
        description: 'Reads a file.',
        inputSchema: (ai.jsonSchema ?? jsonSchema)(SCHEMA),
        execute: async ({ path }) => read(path),
      }),
    }),
    /** All messages that a run added. */
    added: async (result) => [...((await result.responseMessages) ?? (await result.response).messages)],
  };
}

export const MAJORS = await Promise.all([load('AI SDK 5', 2), load('AI SDK 6', 3), load('AI SDK 7', 4)]);
