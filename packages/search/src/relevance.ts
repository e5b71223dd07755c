/** How good a ranking is; apart from the rest because who only searches does not measure. */
export { FIGURES, type Figures, type Judgement, meanFigures, measure, median } from './relevance/metrics.ts'
export { missingWords } from './relevance/missing-words.ts'
