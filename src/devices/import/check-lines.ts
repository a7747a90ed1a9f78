/** Checks the lines of an import, and stores nothing. */
import type { Line } from '../../json/lines.ts';
import { addLine, emptyPage } from './page.ts';
import { addIgnored, addReport, emptyReport, type ImportReport } from './report.ts';

type Checked = { valid: number } & Pick<
  ImportReport,
  'rejected' | 'rejected_count' | 'ignored' | 'ignored_count'
>;

/** Rules that need the database are not checked: retired tokens, and the number of custom attributes. */
export async function checkLines(chunks: AsyncIterable<readonly Line[]>): Promise<Checked> {
  const report = emptyReport();
  let valid = 0;
  for await (const lines of chunks) {
    const page = emptyPage();
    for (const line of lines) if (addLine(page, line) === 'device') valid += 1;
    const { rejected } = page;
    const pageReport = { ...emptyReport(), rejected_count: rejected.length, rejected };
    for (const { number, ignored } of page.devices) addIgnored(pageReport, number, ignored);
    addReport(report, pageReport);
  }
  const { imported: _imported, updated: _updated, unchanged: _unchanged, ...checked } = report;
  return { valid, ...checked };
}
