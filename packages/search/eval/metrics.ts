// The figures are the library's, because the gateway measures with them, too.
export { FIGURES, type Figures, type Judgement, meanFigures, measure, median } from '../src/relevance/metrics.ts'
