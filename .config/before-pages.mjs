// Jest runs this before the tests of pages (globalSetup): the page of reports is written, and a Chromium is there to open it.
import provideChromium from './chromium.mjs';
import { writePage } from './page.mjs';

export default function beforePages() {
  writePage();
  provideChromium();
}
