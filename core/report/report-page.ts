/** The page of a report: one HTML document with all that it needs, which asks nobody for anything. */
import { createHash } from 'node:crypto';
import { PAGE_SCRIPT, PAGE_STYLE } from './page-source';
import type { Report } from './report';

/** Where a page hears how its report grows. */
export interface LivePage {
  /** The address of the server-sent events, relative to the page. */
  readonly events: string;
}

/**
 * The report as a whole HTML document, the same bytes for the same report. Its policy lets it run its own script and style alone and
 * load nothing; a live page may ask the server that it comes from.
 */
export function reportPage(report: Report, live?: LivePage): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(PAGE_SCRIPT)}`,
    `style-src ${hashOf(PAGE_STYLE)}`,
    ...(live === undefined ? [] : ["connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const events = live === undefined ? '' : ` data-events="${escaped(live.events)}"`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(report.title)} – Pith</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<div id="report"${events}><noscript>This report is drawn by a script that it carries itself; allow it to run.</noscript></div>
<script type="application/json" id="data">${scriptJson(report)}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

/** JSON that can stand in a script element: no text in it can end that, or begin another one. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}
