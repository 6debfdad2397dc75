/** The filter that the runner asks before each request: what goes to the model in place of the whole history. */
import { toolSchemasOf } from '../../formats/tool-schemas';
import { stringOf } from '../../formats/shape';
import type { AgentItem, AgentLike } from './agent-items';
import type { Conversation } from './conversation';

/** What the runner is about to send. */
export interface ModelInput<I> {
  input: I[];
  instructions?: string;
}

/** A `callModelInputFilter` of the host; it never throws. */
export interface InputFilter {
  <I extends AgentItem>(asked: { modelData: ModelInput<I>; agent: AgentLike }): Promise<ModelInput<I>>;
  /** The items come as the runner holds them, and go back so where nothing of them differs. */
  readonly preserveInputIdentity: true;
}

/** The filter of a conversation. `failed` is told what went wrong beside the plugins; the request then goes out as it is. */
export function inputFilter(conversation: Conversation, failed: (thrown: unknown) => void): InputFilter {
  async function filter<I extends AgentItem>(asked: {
    modelData: ModelInput<I>;
    agent: AgentLike;
  }): Promise<ModelInput<I>> {
    const { modelData, agent } = asked;
    try {
      const { input, system } = await conversation.prepare({
        messages: modelData.input,
        system: modelData.instructions,
        tools: toolSchemasOf(agent.tools) ?? [],
        model: stringOf(agent.model),
      });
      if (input === modelData.input && system.length === 0) return modelData;
      const instructions = [modelData.instructions ?? '', ...system].filter((text) => text !== '').join('\n\n');
      return { input: input as I[], ...(instructions !== '' && { instructions }) };
    } catch (thrown) {
      failed(thrown);
      return modelData;
    }
  }
  return Object.assign(filter, { preserveInputIdentity: true as const });
}
