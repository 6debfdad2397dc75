/** Rules and wishes in the words of the user (S9.8). */
import { isTelling, sentencesOf } from './prose';

/** How binding a sentence sounds: 0 is no directive. */
function bindingOf(sentence: string): number {
  if (RULE.test(sentence) || RULE_WIDE.test(sentence)) return 2;
  return WISH.test(sentence) || WISH_WIDE.test(sentence) ? 1 : 0;
}

const RULE = words(
  "always never must mustn’t mustn't cannot forbidden mandatory required only should shouldn't shouldn’t avoid ensure prefer preferably instead " +
    "remember important don't don’t dont without keep stick " +
    'immer niemals nie muss musst darf darfst nur soll sollst sollte vermeide bevorzuge stattdessen keine kein keinesfalls unbedingt ohne merke ' +
    'toujours jamais dois doit seulement évite évitez préfère surtout sans ' +
    'siempre nunca debes debe solo sólo evita prefiero jamás sin ' +
    'sempre jamais deve apenas somente evite prefiro sem mai deve solo evita preferisco senza ' +
    'всегда никогда нельзя должен должна должно только избегай обязательно не без',
  'do not,make sure,be sure,no need,rather than,not to,use only,at least,at most,from now on,ne pas,en lugar de,al posto di,auf keinen fall,nicht',
);
const WISH = words(
  'please want need use name call bitte möchte will nutze verwende nenne veux utilise nomme quiero usa usar quero voglio пожалуйста хочу используй',
  "i'd like,i would like,let's,we should,can you,s'il te plaît,s'il vous plaît,por favor,per favore",
);
const RULE_WIDE =
  /必须|不要|不能|不得|别再|禁止|务必|一定|总是|永远|只能|只用|避免|优先|应该|记住|しないで|してはいけ|必ず|常に|決して|だけ|避けて|べき|ください|하지\s?마|항상|절대|반드시|만\s|피해|해야/u;
const WISH_WIDE = /请|希望|想要|需要|使用|改成|してほしい|したい|使って|お願い|해\s?주세요|원해|사용/u;

/** A pattern for whole words and for phrases; alternatives only, so that it is linear. */
function words(single: string, phrases: string): RegExp {
  const all = [...single.split(' '), ...phrases.split(',')].map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}_'-])(?:${all.join('|')})(?![\\p{L}\\p{N}_-])`, 'iu');
}

/** Whether a sentence says something by itself: no heading, no lead to a list, no code. */
function isTold(sentence: string): boolean {
  if (sentence.length > 400 || /[:：;{}]$/.test(sentence) || !isTelling(sentence)) return false;
  return sentence.length >= 12 || /[^\u0000-\u024f]{4}/.test(sentence);
}

/** A quotation and how much it matters. */
export interface Directive {
  readonly quotation: string;
  readonly binding: number;
}

/** The sentences of a prompt that rule or wish something; each stands in the prompt as it is but for blanks. */
export function directivesOf(prompt: string): readonly Directive[] {
  const found: Directive[] = [];
  for (const raw of prompt.split('\n')) {
    const line = raw.trim();
    for (const sentence of sentencesOf(line.replace(/\s+/gu, ' ').replace(/^(?:[-*•#>]+\s+|\d{1,3}[.)]\s+)+/u, ''))) {
      const binding = isTold(sentence) ? bindingOf(sentence) : 0;
      if (binding > 0) found.push({ quotation: sentence, binding });
    }
  }
  return found;
}
