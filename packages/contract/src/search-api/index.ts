export { type OpenApiDocument, SEARCH_PATHS, searchApiDocument } from './openapi.ts'
export {
  PROBLEM_TYPE,
  type Problem,
  type ProblemField,
  problemSchema,
  SEARCH_API_PROBLEMS,
  type SearchApiProblemCode,
  searchApiProblem,
} from './problem.ts'
export {
  resultCount,
  SEARCH_API_LIMITS,
  SEARCH_API_VERSION,
  type SearchApiAnswer,
  type SearchApiRequest,
  type SearchApiRequestInput,
  type SearchApiResult,
  type SearchApiTool,
  searchApiAnswerSchema,
  searchApiRequestSchema,
  searchApiToolSchema,
} from './schema.ts'
