import * as api from '@opentelemetry/api';
import fc from 'fast-check';
import { readTrace, writeTrace } from '../../../plugins/telemetry/trace-context';

const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });

describe('the trace context of a span', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), fc.boolean(), (traceId, spanId, isSampled, hasState) => {
        const context = { traceId, spanId, traceFlags: isSampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE };
        const state = hasState ? { traceState: api.createTraceState('vendor=1,other=2') } : {};
        const written = writeTrace(api, { ...context, ...state });
        if (!api.isSpanContextValid(context)) return expect(written).toBeUndefined();
        const read = written && readTrace(api, written);
        expect(read).toMatchObject({ ...context, isRemote: true });
        expect(read?.traceState?.serialize()).toBe(state.traceState?.serialize());
      }),
    );
  });

  test('that is malformed is none, whatever it is', () => {
    const lone = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const wrong = [
      '',
      lone.slice(1),
      lone.toUpperCase(),
      `ff${lone.slice(2)}`,
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `${lone}0`,
      `${lone}\n`,
    ];
    for (const traceparent of wrong) expect(readTrace(api, { traceparent })).toBeUndefined();
    expect(readTrace(api, { traceparent: `cc${lone.slice(2)}-what-comes-later` })).toMatchObject({ traceFlags: 1 });
    fc.assert(fc.property(fc.string(), (traceparent) => readTrace(api, { traceparent }) === undefined));
    fc.assert(
      fc.property(fc.string(), (tracestate) => readTrace(api, { traceparent: lone, tracestate })?.spanId !== undefined),
    );
  });
});
