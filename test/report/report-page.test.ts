import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { reportPage } from '../../core/report';
import type { Report } from '../../core/report';
import { PAGE_SCRIPT, PAGE_STYLE } from '../../core/report/page-source';
import { anyText } from '../arbitraries/history';

/** A report in which every text is the same. */
function reportSaying(text: string): Report {
  return {
    schema: 'pith.report/1',
    title: text,
    source: { format: text, path: text, sessionId: text, items: 1, turns: 1, requests: 0, model: text },
    madeAt: 0,
    thresholds: [{ name: text, tokens: 1 }],
    tokens: { total: 1, source: 'counted', byKind: { user: 1 }, byTool: Object.fromEntries([[text, 1]]) },
    occupancy: [],
    events: [],
    turns: [{ turn: 1, fromItem: 0, requests: 0, tokens: 1, prompt: text }],
    map: [{ kind: 'tool_call', tool: text, tokens: 1, fate: 'kept', text }],
    files: [{ path: text, reads: 1, writes: 0, lastItem: 0, ranges: [], note: text }],
    compaction: {
      id: text,
      outcome: text,
      before: { tokens: 1, parts: [{ kind: 'summary', name: text, tokens: 1, text }] },
      summary: { text, tokens: 1 },
    },
    outlook: {},
    integrity: { orphanResults: 0, unansweredCalls: 0 },
  };
}

/** The elements of a page as a browser finds them: what a script or style holds ends with the first end tag of its kind. */
function elementsOf(
  html: string,
  name: 'script' | 'style' | 'title',
): readonly { readonly tag: string; readonly text: string }[] {
  const found: { tag: string; text: string }[] = [];
  const start = new RegExp(`<${name}\\b[^>]*>`, 'gi');
  for (let match = start.exec(html); match !== null; match = start.exec(html)) {
    const begin = match.index + match[0].length;
    const end = html.slice(begin).search(new RegExp(`</${name}[\\s/>]`, 'i')) + begin;
    found.push({ tag: match[0], text: html.slice(begin, end) });
    start.lastIndex = end;
  }
  return found;
}

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '</ScRiPt >',
  '<!--<script>',
  ']]><img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '\u2028\u2029\u0000\ud800',
  '</title><script>alert(1)</script>',
  '__proto__',
  '&lt;/script&gt;',
];

const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  anyText,
  fc.tuple(anyText, fc.constantFrom(...HOSTILE), anyText).map((parts) => parts.join('')),
);

describe('the page of a report', () => {
  test('holds the report as JSON that nothing in it can leave', () => {
    fc.assert(
      fc.property(text, (said) => {
        const report = reportSaying(said);
        const html = reportPage(report);
        const scripts = elementsOf(html, 'script');
        expect(scripts.map(({ tag }) => tag)).toEqual(['<script type="application/json" id="data">', '<script>']);
        expect(JSON.parse(scripts[0]?.text ?? '')).toEqual(JSON.parse(JSON.stringify(report)));
        expect(scripts[0]?.text).not.toMatch(/[<>\u2028\u2029]/);
        expect(scripts[1]?.text).toBe(PAGE_SCRIPT);
        expect(elementsOf(html, 'style').map((style) => style.text)).toEqual([PAGE_STYLE]);
        expect(elementsOf(html, 'title')).toHaveLength(1);
        expect(elementsOf(html, 'title')[0]?.text).not.toMatch(/[<>]/);
      }),
    );
  });

  test('lets its own script and style run, by their digests, and loads nothing', () => {
    const html = reportPage(reportSaying('a'));
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    const digest = (source: string): string => `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${digest(PAGE_SCRIPT)}`,
      `style-src ${digest(PAGE_STYLE)}`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    const frame = html.split(PAGE_SCRIPT).join('').split(PAGE_STYLE).join('');
    expect(frame).not.toMatch(/\s(?:src|href|style|on\w+)=/i);
    expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<style>'));
    expect(html).not.toContain('data-events');
  });

  test('may ask the server that it comes from where it is to grow', () => {
    const html = reportPage(reportSaying('a'), { events: 'events?token=a"b&c' });
    expect(html).toContain(`<div id="report" data-events="events?token=a&quot;b&amp;c">`);
    expect(html).toContain("connect-src 'self';");
  });

  test('says what it needs where scripts do not run', () => {
    expect(reportPage(reportSaying('a'))).toMatch(/<noscript>[^<]+<\/noscript>/);
  });

  test('has the same bytes for the same report', () => {
    expect(reportPage(reportSaying('ä'))).toBe(reportPage(structuredClone(reportSaying('ä'))));
  });
});
