/** Choices that were made and why (S9.8), found in what the agent said. */
import { proseLines, sentencesOf, shorten } from './prose';

/** A line of Key Decisions and how surely it is one. */
export interface Decision {
  readonly line: string;
  readonly weight: number;
}

const CHOICE = phrases(
  `decided|decide to|decision|chose|chosen|opted|going with|go with|settled on|switching to|switched to|better approach|best approach|right approach|
   agreed|entschieden|entscheide mich|entscheidung|décidé|choisi|decidí|decidimos|decidido|elegí|elijo|opté|decidi|escolhi|optei|ho deciso|ho scelto|
   решил|решила|решили|выбрал|выбрали|выбираю`,
);
const CONTRAST = phrases(
  `instead of|rather than|in favor of|in favour of|statt|anstatt|anstelle|plutôt que|au lieu de|en lugar de|en vez de|em vez de|ao invés de|
   invece di|al posto di|вместо|а не`,
);
const REASON = phrases(
  `because|since|so that|due to|to avoid|this way|weil|denn|damit|parce que|car|puisque|afin de|pour éviter|porque|ya que|para que|para evitar|pois|já que|
   perché|poiché|потому что|так как|чтобы|поскольку`,
);
const CHOICE_WIDE = /决定|選擇|选择|采用|改用|选用|に決め|を選|を採用|にします|결정|선택|사용하기로|채택/u;
const CONTRAST_WIDE = /而不是|代替|而非|の代わりに|ではなく|대신/u;
const REASON_WIDE = /因为|由于|以便|为了|ため|ので|때문|위해/u;

/** Weak signs of a choice, worth telling with a reason or a contrast; and signs that something is only thought about. */
const USE = phrases(
  `i'll|i’ll|i will|we'll|we will|let's|let’s|now uses|use|uses|using|ich nehme|wir nehmen|verwende|verwenden|verwendet|nutze|nutzen|
   utilise|utiliserai|utiliser|utiliserons|uso|usa|usar|usaremos|userò|useremo|использую|используем|использовать`,
);
const HEDGE = phrases(
  'if|might|maybe|perhaps|could|would|may|i bet|wenn|vielleicht|könnte|peut-être|quizás|talvez|forse|если|возможно',
);

/** A pattern for whole phrases; alternatives only, so that it is linear. */
function phrases(list: string): RegExp {
  const all = list.split('|').map((phrase) => phrase.trim());
  return new RegExp(`(?<![\\p{L}\\p{N}_'’])(?:${all.join('|')})(?![\\p{L}\\p{N}_])`, 'iu');
}

/** The decisions that a message of the agent states, as `decision — reason` where it gives a reason. */
export function decisionsOf(message: string): readonly Decision[] {
  const found: Decision[] = [];
  for (const line of proseLines(message)) {
    for (const sentence of sentencesOf(line)) {
      if (sentence.length < 16 || sentence.length > 400 || /[?？:：]$|^option\b/i.test(sentence)) continue;
      const choice = isChoice(sentence) ? 3 : USE.test(sentence) ? 2 : 0;
      const contrast = isContrast(sentence) ? 2 : 0;
      if (choice + contrast === 0) continue;
      const reason = reasonAt(sentence);
      const weight =
        choice +
        contrast +
        (reason === -1 ? 0 : 1) -
        (HEDGE.test(reason === -1 ? sentence : sentence.slice(0, reason)) ? 3 : 0);
      if (weight >= 3) found.push({ line: lineOf(sentence, reason), weight });
    }
  }
  return found;
}

function isChoice(text: string): boolean {
  return CHOICE.test(text) || CHOICE_WIDE.test(text);
}

function isContrast(text: string): boolean {
  return CONTRAST.test(text) || CONTRAST_WIDE.test(text);
}

function reasonAt(sentence: string): number {
  const latin = REASON.exec(sentence)?.index ?? -1;
  if (latin >= 12) return latin;
  const wide = REASON_WIDE.exec(sentence)?.index ?? -1;
  return wide >= 5 ? wide : -1;
}

function lineOf(sentence: string, reason: number): string {
  const whole = sentence.replace(/[.。]$/u, '');
  if (reason === -1) return shorten(whole, 220);
  return `${shorten(whole.slice(0, reason).replace(/[\s,，、;–—(-]+$/u, ''), 160)} — ${shorten(whole.slice(reason), 160)}`;
}

/** Answers of the user to questions that the agent put with a tool: `"question"="answer"`. */
export function answersOf(text: string): readonly string[] {
  if (!text.includes('"="')) return [];
  const pairs = [...text.matchAll(/"([^"\n]{4,300})"="([^"\n]{1,300})"/g)];
  return pairs.map(([, question = '', answer = '']) => `${shorten(question, 160)} — "${answer}"`);
}
