import fc from 'fast-check';
import { AskLedger } from '../../../core/bus/nats/ask-ledger';
import { KEPT_ANSWERS, OPEN_ASKS } from '../../../core/bus/nats/job-machine';
import type { OfferAction } from '../../../core/bus/nats/job-machine';

const ask = (ledger: AskLedger, seq: number, to = `to ${String(seq)}`) => ledger.ask(seq, `ask ${String(seq)}`, to);
const done = (ledger: AskLedger, seq: number) => ledger.answered(seq, `answer ${String(seq)}`);
const deny = (code: 410 | 422 | 429, to: string): OfferAction => ({ type: 'deny', code, to });
const answer = (seq: number, to = `to ${String(seq)}`): OfferAction => ({
  type: 'answer',
  seq,
  answer: `answer ${String(seq)}`,
  to,
});

/** Does all asks from `first` to `last`, one after the other. */
function doAll(ledger: AskLedger, first: number, last: number): void {
  for (let seq = first; seq <= last; seq++) {
    ask(ledger, seq);
    done(ledger, seq);
  }
}

describe('what a worker asks', () => {
  it('is done once and answered where it was asked last', () => {
    const ledger = new AskLedger();
    expect(ask(ledger, 1, 'first')).toEqual([{ type: 'execute', seq: 1, ask: 'ask 1' }]);
    expect(ask(ledger, 1, 'second')).toEqual([]);
    expect(done(ledger, 1)).toEqual([answer(1, 'second')]);
    expect(done(ledger, 1)).toEqual([]);
    expect(ask(ledger, 1, 'third')).toEqual([answer(1, 'third')]);
  });

  it('is done also where an earlier number comes later', () => {
    const ledger = new AskLedger();
    ask(ledger, 2);
    expect(ask(ledger, 1)).toEqual([{ type: 'execute', seq: 1, ask: 'ask 1' }]);
    expect(done(ledger, 2)).toEqual([answer(2)]);
    expect(done(ledger, 1)).toEqual([answer(1)]);
  });

  it('is refused while too much is being done, and done when there is room again', () => {
    const ledger = new AskLedger();
    for (let seq = 1; seq <= OPEN_ASKS; seq++) expect(ask(ledger, seq)).toHaveLength(1);
    expect(ask(ledger, 17)).toEqual([deny(429, 'to 17')]);
    expect(ask(ledger, 3, 'again')).toEqual([]);
    done(ledger, 5);
    expect(ask(ledger, 17)).toEqual([{ type: 'execute', seq: 17, ask: 'ask 17' }]);
  });

  it('has its answer kept while it is among the newest', () => {
    const ledger = new AskLedger();
    doAll(ledger, 1, KEPT_ANSWERS);
    expect(ask(ledger, 1)).toEqual([answer(1)]);
    doAll(ledger, KEPT_ANSWERS + 1, KEPT_ANSWERS + 1);
    expect(ask(ledger, 1)).toEqual([deny(422, 'to 1')]);
    expect(ask(ledger, 2)).toEqual([answer(2)]);
  });

  it('is refused where its number is too old, done before or not', () => {
    const ledger = new AskLedger();
    ask(ledger, 100);
    expect(ask(ledger, 100 - KEPT_ANSWERS)).toEqual([deny(422, 'to 68')]);
    expect(ask(ledger, 101 - KEPT_ANSWERS)).toEqual([{ type: 'execute', seq: 69, ask: 'ask 69' }]);
  });

  it('is answered however long it takes, and then forgotten where it is old', () => {
    const ledger = new AskLedger();
    ask(ledger, 1);
    doAll(ledger, 2, 100);
    expect(ask(ledger, 1, 'again')).toEqual([]);
    expect(done(ledger, 1)).toEqual([answer(1, 'again')]);
    expect(ask(ledger, 1)).toEqual([deny(422, 'to 1')]);
  });

  it('is never done because of an answer that nobody waits for', () => {
    expect(done(new AskLedger(), 7)).toEqual([]);
  });

  it('is denied when the job ends meanwhile, and what was answered is not', () => {
    const ledger = new AskLedger();
    doAll(ledger, 1, 1);
    ask(ledger, 2);
    ask(ledger, 3);
    expect(ledger.close()).toEqual([deny(410, 'to 2'), deny(410, 'to 3')]);
    expect(done(ledger, 2)).toEqual([]);
  });

  it('never has more done at once or kept than the agent allows, whatever comes', () => {
    const asks = fc.array(fc.tuple(fc.nat(90), fc.boolean()), { maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(asks, (moves) => {
        const ledger = new AskLedger();
        const open = new Set<number>();
        const begun = new Set<number>();
        for (const [seq, isAsk] of moves) {
          const actions = isAsk ? ask(ledger, seq) : done(ledger, seq);
          for (const action of actions) {
            if (action.type === 'execute') {
              expect(begun.has(seq)).toBe(false);
              begun.add(seq);
              open.add(seq);
            }
            if (action.type === 'answer') {
              expect(begun.has(seq)).toBe(true);
              open.delete(seq);
            }
          }
          expect(open.size).toBeLessThanOrEqual(OPEN_ASKS);
        }
      }),
    );
  });
});
