// Pictures of the reports of the example sessions, for looking at: light, dark, and on a phone. In reports/screenshots.
//
//   npm run build && npm run screenshots [-- FILE …]
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import provideChromium from '../../.config/chromium.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const out = join(root, 'reports/screenshots');
const LOOKS = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};

const executablePath = provideChromium();
if (executablePath === undefined) process.exit(1);
const examples = ['csv-import', 'flaky-test'].map((name) => join(root, `examples/sessions/${name}.jsonl`));
const files = process.argv.length > 2 ? process.argv.slice(2) : examples;
mkdirSync(out, { recursive: true });
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const browser = await chromium.launch({ executablePath, args });
for (const file of files) {
  for (const command of ['inspect', 'compact']) {
    const name = `${basename(file).replace(/\.[^.]*$/, '')}-${command}`;
    const page = join(out, `${name}.html`);
    const cli = join(root, 'dist/core/cli/main.js');
    const { status, stderr } = spawnSync(process.execPath, [cli, command, file, '--html', page], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`pith ${command} ${file}: ${stderr}`);
    for (const [look, options] of Object.entries(LOOKS)) await picture(page, options, `${name}-${look}.png`);
  }
}
await browser.close();

async function picture(page, options, name) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const tab = await context.newPage();
  await tab.goto(pathToFileURL(page).href);
  await tab.screenshot({ path: join(out, name), fullPage: true });
  await context.close();
  console.log(join(out, name));
}
