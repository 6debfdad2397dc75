// The Chromium that tests open pages in. Jest runs this before the tests of pages (globalSetup) and the path is in
// CHROMIUM_BIN from then on; alone: node .config/chromium.mjs
import { provideProgram, whenAlone } from './needed-program.mjs';

const CHROMIUM = {
  variable: 'CHROMIUM_BIN',
  names: [
    ...['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge-stable'],
    ...['Chromium', 'Google Chrome', 'chrome.exe', 'msedge.exe'],
  ],
  folders: [
    ...['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome'],
    ...['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS`),
    ...['Google\\Chrome', 'Microsoft\\Edge'].flatMap((name) =>
      ['C:\\Program Files', 'C:\\Program Files (x86)'].map((folder) => `${folder}\\${name}\\Application`),
    ),
  ],
  apt: 'chromium',
  brew: ['--cask', 'google-chrome'],
  ways: `No Chromium was found, so the tests of pages are skipped. Three ways to get it:
  - CHROMIUM_BIN=/path/to/chromium; Chrome and Edge do as well
  - apt-get install chromium, or brew install --cask google-chrome
  - npx playwright-core install chromium, and CHROMIUM_BIN with the path that it tells
`,
};

/** Finds the browser, or tries to install it. Never throws. */
export default function provideChromium() {
  return provideProgram(CHROMIUM);
}

whenAlone(import.meta.url, provideChromium);
