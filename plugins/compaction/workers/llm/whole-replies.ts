/** Replies that were cut off do nothing (S9.7): a summary that ends in the middle must not reach the desk. */
import type { LlmClient, LlmReply, LlmRequest, LlmStreamPart } from '../../../../core/index';

/** The model, of whose replies those that were cut off at the output limit hold nothing. */
export function wholeReplies(model: LlmClient): LlmClient {
  return {
    model: model.model,
    profile: model.profile,
    tokenizer: () => model.tokenizer(),
    limits: () => model.limits(),
    generate: async (request) => whole(await model.generate(request)),
    async *stream(request: LlmRequest): AsyncGenerator<LlmStreamPart> {
      for await (const part of model.stream(request))
        yield part.type === 'reply' ? { type: 'reply', reply: whole(part.reply) } : part;
    },
  };
}

function whole(reply: LlmReply): LlmReply {
  return reply.stop === 'length' ? { ...reply, items: [] } : reply;
}
