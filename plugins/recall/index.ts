/** The plugin `recall`: nothing that was summarised, pruned or cut off is out of reach (S9.5). */
import { configKeys, definePlugin, optional, TOKENIZER, type Session } from '../../core/index';
import { GUARD } from '../guard/token';
import { KeptTexts } from './kept-texts';
import { recallTools } from './recall-tools';
import { RECALL } from './token';

export { RECALL } from './token';
export type { LongText, Recall } from './token';

export default definePlugin({
  name: 'recall',
  api: 1,
  config: configKeys({
    page_tokens: {
      type: 'integer',
      unit: 'tokens',
      min: 1000,
      default: 4000,
      doc: 'Tokens of one answer of the tools at most.',
    },
  }),
  needs: { tokenizer: TOKENIZER, guard: optional(GUARD) },
  provides: [RECALL],
  setup({ config, needs: { tokenizer, guard }, tools, provide }) {
    const mask = (text: string): string => guard?.mask(text) ?? text;
    const kept = new WeakMap<object, KeptTexts>();
    const keptOf = (session: object): KeptTexts => {
      const texts = kept.get(session) ?? new KeptTexts(session as Session, mask);
      kept.set(session, texts);
      return texts;
    };
    provide(RECALL, keptOf);
    tools.add(recallTools({ tokenizer, pageTokens: config.pageTokens, mask, keptOf }));
  },
});
