import { PAGE_SCRIPT, PAGE_STYLE } from '../../../core/report/page-source';

describe('the script and the style of the page', () => {
  it('can stand in elements of a document', () => {
    expect(PAGE_SCRIPT).not.toMatch(/<\/script|<!--|\r/i);
    expect(PAGE_STYLE).not.toMatch(/<\/style|<!--|\r/i);
  });

  it('ask nobody for anything, and make nothing of texts but texts', () => {
    expect(PAGE_STYLE).not.toMatch(/url\(|@import/);
    expect(PAGE_SCRIPT).not.toMatch(
      /\b(?:innerHTML|outerHTML|insertAdjacentHTML|eval|fetch|XMLHttpRequest)\b|new Function/,
    );
  });

  it('are small', () => {
    expect(PAGE_SCRIPT.length + PAGE_STYLE.length).toBeLessThan(150_000);
  });
});
