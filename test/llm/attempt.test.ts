import { createAiSdkClient } from '../../core/llm/ai-sdk-client';
import type { AiSdkModel } from '../../core/llm/language-model';
import { createVirtualClock } from '../../core/testing';
import { user } from '../support/context';
import { requestOf } from '../support/llm';

/** A model that streams when it is told to. */
function slowModel(): { readonly model: AiSdkModel; readonly send: (...parts: readonly object[]) => void } {
  let controller: ReadableStreamDefaultController<object> | undefined;
  const stream = new ReadableStream<object>({ start: (given) => void (controller = given) });
  return {
    model: {
      specificationVersion: 'v3',
      provider: 'slow',
      modelId: 'slow',
      doGenerate: () => new Promise(() => undefined),
      doStream: () => Promise.resolve({ stream }),
    },
    send: (...parts) => parts.forEach((part) => controller?.enqueue(part)),
  };
}

const delta = { type: 'text-delta', id: '1', delta: 'x' };

test('a provider that is slow but alive is waited for, with one timer for the whole reply', async () => {
  const clock = createVirtualClock();
  const { model, send } = slowModel();
  const client = createAiSdkClient({ model, clock, timeoutMs: 1_000, maxRetries: 0 });
  const stream = client.stream(requestOf([user('go')]))[Symbol.asyncIterator]();
  for (let part = 0; part < 5; part++) {
    const next = stream.next();
    await clock.advance(900);
    expect(clock.pending).toBe(1);
    send(delta);
    expect((await next).value).toEqual({ type: 'text', text: 'x' });
  }
  const silent = expect(stream.next()).rejects.toMatchObject({ code: 'PITH_LLM_TRANSPORT' });
  await clock.advance(1_000);
  await silent;
  expect(clock.pending).toBe(0);
});

test('10 minutes of silence are too long by default', async () => {
  const clock = createVirtualClock();
  const { model } = slowModel();
  const client = createAiSdkClient({ model, clock, maxRetries: 0 });
  const silent = expect(client.generate(requestOf([user('go')]))).rejects.toMatchObject({
    code: 'PITH_LLM_TRANSPORT',
    message: expect.stringContaining('600 seconds'),
  });
  await clock.advance(599_999);
  expect(clock.pending).toBe(1);
  await clock.advance(1);
  await silent;
});
