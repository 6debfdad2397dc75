/** A conversation on the real kernel, with a scripted model, and what it comes to. */
import { createKernel, createSession, defineTool, drive, restoreSession } from '../../core';
import type { Conversation, Kernel, Plugin, SessionRecord, Tool } from '../../core';
import { converse } from '../../core/agent/live-conversation';
import type { SessionOptions } from '../../core/session/log-session';
import { createScriptedModel } from '../../core/testing';
import type { ScriptedModel, ScriptedModelOptions } from '../../core/testing';

export interface Talk {
  readonly kernel: Kernel;
  readonly model: ScriptedModel;
  readonly conversation: Conversation;
  readonly errors: readonly string[];
  readonly records: () => readonly SessionRecord[];
  readonly kinds: () => readonly string[];
}

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  kind: 'read',
  run: ({ city }: never) => `Sunny in ${String(city)}`,
});

interface Setting {
  readonly plugins?: readonly Plugin[];
  readonly tools?: readonly Tool[];
  readonly hasModel?: boolean;
  /** The log of a session that was closed. */
  readonly log?: readonly SessionRecord[];
}

export async function talk(
  script: ScriptedModelOptions['script'],
  { plugins = [], tools = [weather], hasModel = true, log }: Setting = {},
): Promise<Talk> {
  const errors: string[] = [];
  const kernel = await createKernel({ plugins, log: { level: 'error', write: ({ message }) => errors.push(message) } });
  const model = createScriptedModel({ script });
  const services: SessionOptions['services'] = (one) => kernel.scope(one);
  const session =
    log === undefined
      ? createSession({ id: 's', now: () => 0, services })
      : restoreSession(log, { now: () => 0, services });
  const driver = drive(kernel, session, { system: 'You help.', tools, model: model.model });
  const conversation = converse({ kernel, driver, model: hasModel ? model : undefined });
  const records = (): readonly SessionRecord[] => [...session.records()];
  const kinds = (): readonly string[] => records().map((record) => (record.t === 'item' ? record.item.kind : record.t));
  return { kernel, model, conversation, errors, records, kinds };
}

/** Lets others run. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const texts = ({ conversation }: Talk): readonly string[] =>
  [...conversation.session.items()].flatMap((item) =>
    item.kind === 'message' ? item.parts.map((part) => (part.type === 'text' ? `${item.role}: ${part.text}` : '')) : [],
  );
