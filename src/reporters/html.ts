import { renderPage } from './html/render.js';
import { defineReporter } from './reporter.js';

export const html = defineReporter({
  id: 'html',
  description: 'one page for a browser, complete in itself: filter, search, and what each finding means',
  drawsTimelines: true,
  render: (report) => renderPage(report),
});
