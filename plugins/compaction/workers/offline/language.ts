/** The language of a conversation, and the few words of its own that the offline worker needs in it (S9.8). */

/** The worker's own words; everything else in a summary is taken from the conversation. */
export interface Words {
  readonly goal: string;
  readonly done: string;
  readonly files: string;
  readonly commits: string;
  readonly solved: string;
  readonly unsolved: string;
  readonly state: string;
  readonly open: string;
  readonly next: string;
  readonly last: string;
  readonly said: string;
  readonly written: string;
  readonly deleted: string;
  readonly edits: (count: number) => string;
  readonly earlier: string;
}

/** Goal, done, files, commits, solved, unsolved, state, open, next, last, user, written, deleted, edit, edits, earlier. */
const ROWS: Readonly<Record<string, string>> = {
  en: 'Goal|Done|Files|Commits|Solved|Unsolved|State|Open|Next|Last|User|written|deleted|edit|edits|Earlier',
  de: 'Ziel|Erledigt|Dateien|Commits|Gelöst|Ungelöst|Stand|Offen|Nächster Schritt|Zuletzt|Nutzer|geschrieben|gelöscht|Änderung|Änderungen|Früher',
  fr: 'But|Fait|Fichiers|Commits|Résolu|Non résolu|État|Reste|Suite|En dernier|Utilisateur|écrit|supprimé|modification|modifications|Avant',
  es: 'Objetivo|Hecho|Archivos|Commits|Resuelto|Sin resolver|Estado|Pendiente|Siguiente|Último|Usuario|escrito|eliminado|cambio|cambios|Antes',
  pt: 'Objetivo|Feito|Arquivos|Commits|Resolvido|Não resolvido|Estado|Pendente|Próximo passo|Último|Usuário|escrito|removido|alteração|alterações|Antes',
  it: 'Obiettivo|Fatto|File|Commit|Risolto|Irrisolto|Stato|Da fare|Prossimo passo|Ultimo|Utente|scritto|eliminato|modifica|modifiche|Prima',
  ru: 'Цель|Сделано|Файлы|Коммиты|Решено|Не решено|Состояние|Осталось|Дальше|Последнее|Пользователь|записан|удалён|правка|правок|Ранее',
  zh: '目标|已完成|文件|提交|已解决|未解决|状态|待办|下一步|最近|用户|写入|删除|次修改|次修改|此前',
  ja: '目標|完了|ファイル|コミット|解決済み|未解決|状態|残り|次|直近|ユーザー|書き込み|削除|回編集|回編集|以前',
  ko: '목표|완료|파일|커밋|해결됨|미해결|상태|남은 일|다음|최근|사용자|작성|삭제|회 수정|회 수정|이전',
};

/** Words that are frequent in one language and rare in the others. */
const FREQUENT: Readonly<Record<string, string>> = {
  en: 'the and is to of it that this you for with we please have are can not',
  de: 'und der die das ist nicht ich wir bitte mit für ein eine auch noch den dem kannst',
  fr: 'le les des est et une pour dans pas que je nous vous avec sur du',
  es: 'el los las es y una para con por que no del al como esta puedes',
  pt: 'o os as é e uma para com não que do da em você por isso',
  it: 'il gli che è e una per con non di del nella sono puoi anche',
};

/** The language most of the text is in: `en` where nothing else is clear. Looks at the first 20,000 characters. */
export function languageOf(text: string): string {
  const sample = text.slice(0, 20_000);
  const count = (pattern: RegExp): number => sample.match(pattern)?.length ?? 0;
  const latin = count(/\p{Script=Latin}+/gu);
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(/\p{Script=Han}/gu);
  const hangul = count(/\p{Script=Hangul}/gu);
  const cyrillic = count(/\p{Script=Cyrillic}+/gu);
  if (kana + han > latin && kana * 5 > han) return 'ja';
  if (han > latin) return 'zh';
  if (hangul > latin) return 'ko';
  if (cyrillic > latin / 2 && cyrillic > 3) return 'ru';
  const seen = new Map<string, number>();
  for (const word of sample.toLowerCase().match(/\p{L}+/gu) ?? []) seen.set(word, (seen.get(word) ?? 0) + 1);
  let best = 'en';
  let most = 0;
  for (const [language, words] of Object.entries(FREQUENT)) {
    const found = words.split(' ').reduce((sum, word) => sum + (seen.get(word) ?? 0), 0);
    if (found > most) [best, most] = [language, found];
  }
  return best;
}

/** The worker's words in a language of {@link languageOf}. */
export function wordsOf(language: string): Words {
  const row = ROWS[language] ?? ROWS['en'] ?? '';
  const [goal = '', done = '', files = '', commits = '', solved = '', unsolved = '', state = '', open = ''] =
    row.split('|');
  const [next = '', last = '', said = '', written = '', deleted = '', edit = '', edits = '', earlier = ''] = row
    .split('|')
    .slice(8);
  const blank = /^[\p{Script=Han}\p{Script=Hangul}]/u.test(edits) ? '' : ' ';
  const count = (times: number): string => `${String(times)}${blank}${times === 1 ? edit : edits}`;
  return {
    goal,
    done,
    files,
    commits,
    solved,
    unsolved,
    state,
    open,
    next,
    last,
    said,
    written,
    deleted,
    edits: count,
    earlier,
  };
}
