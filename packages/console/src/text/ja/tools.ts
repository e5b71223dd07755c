import type { Text } from '../text.ts'

/** 「ツール」ページの言葉。 */
export const tools: Text['tools'] = {
  lead: '全サーバーの全ツール。検索はエージェントが使うものと同じです。',
  find: 'ツールを探す',
  findHint: '名前または説明',
  server: 'サーバー',
  project: 'プロジェクト',
  permission: '許可',
  permissions: { all: 'すべて', allowed: '使える', forbidden: '使えない' },
  count: (shown, total) =>
    shown === total ? `${total.toLocaleString()} 個` : `${total.toLocaleString()} 個中 ${shown.toLocaleString()} 個`,
  tool: 'ツール',
  hints: {
    readOnlyHint: '読み取り専用',
    destructiveHint: '破壊的',
    idempotentHint: '冪等',
    openWorldHint: 'オープンワールド',
  },
  fixed: 'サーバーはファイルで宣言されています。変更はそのファイルで行ってください',
  allowed: '許可',
  empty: 'ツールがありません',
  emptyText: 'サーバーを追加すると表示されます。',
  filters: '絞り込み',
  flags: {
    readOnly: '読み取り専用',
    destructive: '破壊的',
    idempotent: '冪等',
    openWorld: 'オープンワールド',
    deferred: '遅延',
    pinned: '固定',
  },
  not: (flag) => `${flag} 以外`,
  nextClick: { off: 'これだけを表示', true: 'もう一度押すとこれ以外を表示', false: 'もう一度押すとすべてを表示' },
  clear: '絞り込みを解除',
  clearAll: '検索と絞り込みを解除',
  clearWords: '検索を解除',
  drop: (filter) => `絞り込み「${filter}」を外す`,
  noFit: 'この絞り込みに合うツールはありません',
  noFitFor: (words) => `「${words}」に合うツールはありません`,
  noFitHint: '名前や、してほしいことなど、別の言葉で試してください。',
  filtersOn: '有効な絞り込み:',
  addServer: 'サーバーを追加',
  description: '説明',
  noDescription: 'サーバーによる説明はありません。',
  schema: '入力',
  output: '出力',
  raw: '定義',
  global: '全体で有効',
  globalHint: 'オフにすると、どのプロジェクトでも使えません',
  inProjects: 'プロジェクトごと',
  pinned: '固定',
  pinnedHint: '常に一覧に出す',
  deferred: '遅延',
  deferredHint: '必要なときに読み込む',
  override: 'このプロジェクトでの説明',
  overrideHint: 'サーバーの説明の代わりにエージェントに見せます。空欄ならサーバーの説明を使います。',
  saveOverride: '説明を保存',
  notEligible: '現在は使えません',
  tryIt: '試す',
  tryLead: 'ゲートウェイを通して実際のツールを実行します。あなたの名前で記録されます。',
  call: '呼び出す',
  result: '結果',
  failed: 'ツールがエラーを返しました',
  took: (ms, tokens) => `${ms} ms、モデルには ${tokens}`,
  asForm: 'フォーム',
  asJson: 'JSON',
  entry: '引数の入力方法',
  noArguments: '引数なし',
  required: '必須',
  badJson: 'JSON オブジェクトを入力してください',
  image: '画像',
  audio: '音声',
  expected: expectedInput,
  resource: 'リソース',
  repairs: 'ゲートウェイがスキーマを修正',
  parameter: 'パラメーター',
  type: '型',
  unset: '未設定',
}

/** この型の引数に入力するもの。 */
function expectedInput(type: string): string {
  if (type === 'integer') return '整数を入力してください'
  if (type === 'number') return '数値を入力してください'
  if (type === 'object') return 'JSON オブジェクトを入力してください'
  if (type === 'string[]') return '文字列の JSON 配列を入力してください（例: ["a","b"]）'
  return type.endsWith('[]') || type === 'array'
    ? 'JSON 配列を入力してください'
    : `正しい JSON を入力してください (${type})`
}
