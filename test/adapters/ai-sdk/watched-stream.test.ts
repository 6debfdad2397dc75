import { watchedStream } from '../../../core/adapters/ai-sdk/watched-stream';
import type { StreamWatch } from '../../../core/adapters/ai-sdk/watched-stream';
import type { AiSdkReply } from '../../../core/adapters/ai-sdk/host-types';
import type { StreamedPart } from '../../../core/llm/language-model';

const part = (fields: object): StreamedPart => fields as StreamedPart;
const START = part({ type: 'stream-start', warnings: [] });
const FINISH = part({ type: 'finish', finishReason: 'stop', usage: { inputTokens: 9, outputTokens: 1 } });
const text = (id: string, delta: string): readonly StreamedPart[] => [
  part({ type: 'text-start', id }),
  part({ type: 'text-delta', id, delta }),
  part({ type: 'text-end', id }),
];

function streamOf(parts: Iterable<StreamedPart>): ReadableStream<StreamedPart> {
  return ReadableStream.from(parts) as ReadableStream<StreamedPart>;
}

function watch(
  second?: readonly StreamedPart[],
): StreamWatch & { readonly replies: AiSdkReply[]; readonly asked: unknown[] } {
  const replies: AiSdkReply[] = [];
  const asked: unknown[] = [];
  return {
    replies,
    asked,
    retry: (thrown) => {
      asked.push(thrown);
      return Promise.resolve(second && streamOf(second));
    },
    done: (reply) => void replies.push(reply),
  };
}

async function partsOf(stream: ReadableStream<StreamedPart>): Promise<readonly StreamedPart[]> {
  const parts: StreamedPart[] = [];
  for await (const one of stream) parts.push(one);
  return parts;
}

test('every part is passed on as it is, and the reply is told with its end', async () => {
  const parts = [START, ...text('1', 'Hel'), ...text('2', 'lo'), FINISH];
  const watched = watch();
  const stream = watchedStream(streamOf(parts), watched);
  const passed = await partsOf(stream);
  expect(passed).toHaveLength(parts.length);
  passed.forEach((one, at) => expect(one).toBe(parts[at]));
  expect(watched.replies).toMatchObject([
    {
      content: [
        { type: 'text', text: 'Hel' },
        { type: 'text', text: 'lo' },
      ],
      finishReason: 'stop',
      usage: { inputTokens: 9 },
    },
  ]);
});

test('parts that are handed on whole are part of the reply', async () => {
  const file = part({ type: 'file', mediaType: 'image/png', data: 'aGVsbG8=' });
  const watched = watch();
  await partsOf(watchedStream(streamOf([START, ...text('1', 'See:'), file, FINISH]), watched));
  expect(watched.replies[0]?.content).toEqual([expect.objectContaining({ text: 'See:' }), file]);
});

test('the reply is told before the part that ends it is read on', async () => {
  const watched = watch();
  const reader = watchedStream(streamOf([FINISH]), watched).getReader();
  await reader.read();
  expect(watched.replies).toHaveLength(1);
});

const OVERFLOW = new Error('prompt is too long');

test.each([
  ['that reports an error', streamOf([START, part({ type: 'error', error: OVERFLOW }), FINISH])],
  ['that breaks', broken(START)],
])('a stream %s before the reply began is taken up by another, and starts once', async (_, first) => {
  const watched = watch([START, ...text('1', 'Now.'), FINISH]);
  const passed = await partsOf(watchedStream(first, watched));
  expect(passed.map(({ type }) => type as string)).toEqual([
    'stream-start',
    'text-start',
    'text-delta',
    'text-end',
    'finish',
  ]);
  expect(watched.asked).toEqual([OVERFLOW]);
  expect(watched.replies).toHaveLength(1);
});

test('what the host is to deal with is passed on as it came', async () => {
  const error = part({ type: 'error', error: OVERFLOW });
  const watched = watch();
  expect(await partsOf(watchedStream(streamOf([START, error]), watched))).toEqual([START, error]);
  await expect(partsOf(watchedStream(broken(START), watched))).rejects.toBe(OVERFLOW);
  expect(watched.replies).toEqual([]);
});

test('a reply that has begun is not begun again', async () => {
  const [begun] = text('1', 'Hm') as [StreamedPart];
  const error = part({ type: 'error', error: OVERFLOW });
  const watched = watch([START, FINISH]);
  expect(await partsOf(watchedStream(streamOf([START, begun, error]), watched))).toEqual([START, begun, error]);
  expect(watched.asked).toEqual([]);
});

test('a second stream that fails is not followed by a third', async () => {
  const watched = watch([START, part({ type: 'error', error: OVERFLOW })]);
  const first = streamOf([part({ type: 'error', error: OVERFLOW })]);
  const passed = await partsOf(watchedStream(first, watched));
  expect(passed.map(({ type }) => type as string)).toEqual(['stream-start', 'error']);
  expect(watched.asked).toHaveLength(1);
});

test('a connection that was cut off is no reply', async () => {
  const cut = part({ type: 'finish', finishReason: { unified: 'other', raw: undefined }, usage: {} });
  const watched = watch();
  await partsOf(watchedStream(streamOf([START, ...text('1', 'Ha'), cut]), watched));
  expect(watched.replies).toEqual([]);
});

function broken(...parts: readonly StreamedPart[]): ReadableStream<StreamedPart> {
  const left = [...parts];
  return new ReadableStream<StreamedPart>(
    {
      pull(controller) {
        const next = left.shift();
        if (next === undefined) controller.error(OVERFLOW);
        else controller.enqueue(next);
      },
    },
    { highWaterMark: 0 },
  );
}
