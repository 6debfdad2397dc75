/** Choices that were made and why (S9.8), found in what the agent said. */
import { proseLines, sentencesOf, shorten } from './prose';

/** A line of Key Decisions and how surely it is one. */
export interface Decision {
  readonly line: string;
  readonly weight: number;
}

const CHOICE = phrases(
  `decided|decide to|decision|chose|chosen|opted|i'll use|i’ll use|i will use|we'll use|we will use|let's use|let’s use|going with|go with|settled on|
   switching to|switched to|better approach|best approach|right approach|agreed|
   entschieden|entscheide mich|entscheidung|ich nehme|ich verwende|ich nutze|wir nehmen|wir verwenden|
   décidé|choisi|j'utilise|j'utiliserai|je vais utiliser|nous utiliserons|
   decidí|decidimos|decidido|elegí|elijo|voy a usar|usaremos|opté|
   decidi|escolhi|vou usar|vamos usar|optei|ho deciso|ho scelto|userò|useremo|
   решил|решила|решили|выбрал|выбрали|выбираю|буду использовать|использую`,
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

/** Weak signs of a choice, and signs that something is only thought about. */
const USE = phrases(
  "i'll|i’ll|i will|we'll|we will|now uses|use|uses|using|should|verwende|verwendet|nutze|utilise|uso|usa|использую|используем",
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
  if (!isChoice(message) && !isContrast(message)) return [];
  const found: Decision[] = [];
  for (const line of proseLines(message)) {
    if (line.length > 2000) continue;
    for (const sentence of sentencesOf(line)) {
      if (sentence.length < 16 || sentence.length > 400 || /[?？:：]$/.test(sentence)) continue;
      const choice = isChoice(sentence) ? 3 : 0;
      const contrast = isContrast(sentence) ? 2 : 0;
      if (choice + contrast === 0) continue;
      const reason = reasonAt(sentence);
      const used = choice === 0 && USE.test(sentence) ? 1 : 0;
      const weight = choice + contrast + used + (reason === -1 ? 0 : 1) - (HEDGE.test(sentence) ? 3 : 0);
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
  const match = REASON.exec(sentence) ?? REASON_WIDE.exec(sentence);
  return match === null || match.index < 12 ? -1 : match.index;
}

function lineOf(sentence: string, reason: number): string {
  const whole = sentence.replace(/[.。]$/u, '');
  if (reason === -1) return shorten(whole, 220);
  return `${shorten(whole.slice(0, reason).replace(/[\s,，、;–—-]+$/u, ''), 160)} — ${shorten(whole.slice(reason), 160)}`;
}

/** Answers of the user to questions that the agent put with a tool: `"question"="answer"`. */
export function answersOf(text: string): readonly string[] {
  if (!text.includes('"="')) return [];
  const pairs = [...text.matchAll(/"([^"\n]{4,300})"="([^"\n]{1,300})"/g)];
  return pairs.map(([, question = '', answer = '']) => `${shorten(question, 160)} — "${answer}"`);
}
