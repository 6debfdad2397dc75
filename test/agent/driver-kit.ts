/** The driver alone, as a host with a loop of its own calls it: a kernel, a session, and what the model is taken to say. */
import { definePlugin, drive } from '../../core';
import type { Driver, DriveOptions, HookResult, NewItem, Plugin, PluginContext, Session } from '../../core';
import { createTestKernel } from '../../core/testing';
import type { TestKernel } from '../../core/testing';

export interface Place {
  readonly test: TestKernel;
  readonly session: Session;
  readonly driver: Driver;
}

const open: Place[] = [];
afterEach(async () => {
  for (const { test } of open.splice(0)) await test[Symbol.asyncDispose]();
});

export async function place(plugins: readonly Plugin[] = [], options: DriveOptions = {}): Promise<Place> {
  const test = await createTestKernel({ plugins });
  const session = await test.openSession();
  const one = { test, session, driver: drive(test.kernel, session, options) };
  open.push(one);
  return one;
}

export const plugin = (name: string, setup: (ctx: PluginContext) => void): Plugin =>
  definePlugin({ name, api: 1, setup });

export const say = (text: string): NewItem => ({ kind: 'message', role: 'assistant', parts: [{ type: 'text', text }] });
export const call = (callId: string, name = 'look'): NewItem => ({ kind: 'tool_call', callId, name, arguments: {} });

export const kinds = (session: Session): readonly string[] =>
  [...session.records()].map((record) => (record.t === 'item' ? record.item.kind : record.t));

/** One handler of `pre_llm_request`, with what it is to answer each time. */
export const answering = (...answers: (HookResult<'pre_llm_request'> | undefined)[]): Plugin =>
  plugin('asks', ({ hooks }) => hooks.on('pre_llm_request', () => answers.shift()));
