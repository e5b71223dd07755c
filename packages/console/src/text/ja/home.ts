import type { Text } from '../text.ts'

/** 「ホーム」ページの言葉。 */
export const home: Text['home'] = {
  lead: 'ゲートウェイの現在の様子です。',
  servers: '稼働中のサーバー',
  serverStates: (states, all) =>
    [
      `全 ${all} 台`,
      ...(states['idle'] === undefined ? [] : [`要求時に起動 ${states['idle']}`]),
      ...(states['failed'] === undefined ? [] : [`失敗 ${states['failed']}`]),
      ...(states['needs-login'] === undefined ? [] : [`要ログイン ${states['needs-login']}`]),
      ...(states['starting'] === undefined ? [] : [`起動中 ${states['starting']}`]),
    ].join(' · '),
  tools: 'ツール',
  projects: 'プロジェクト',
  tokens: 'エージェント用トークン',
  admins: (count) => `管理トークン ${count}`,
  expired: (count) => `期限切れ ${count}`,
  activity: '過去 24 時間',
  searches: '検索',
  calls: '呼び出し',
  errors: 'エラー',
  noActivity: '検索や呼び出しはありません',
  failed: (errors, percent) => `失敗 ${errors.toLocaleString('ja')} 件（${percent.toFixed(1)}%）`,
  lastHour: '過去 1 時間の監査',
  asTable: '表で表示',
  costsMore: (endpoint, listed, all) =>
    `エンドポイント ${endpoint} の一覧は ${listed} ですが、全ツールでも ${all} です。`,
  about: (kind, id) =>
    `${{ requests: '失敗したリクエスト', audit: '監査ログ', server: 'サーバー', project: 'プロジェクト', endpoint: 'エンドポイント' }[kind] ?? kind}${kind === 'audit' ? '' : ` ${id}`}`.trim(),
  activityTable: '時間ごとの検索・呼び出し・エラー',
  hour: '時刻',
  savings: '節約したコンテキスト',
  noLists: '一覧を読み込んだエージェントはまだありません。',
  ifAll: (tokens) => `全ツールを一覧すると、会話ごとに ${tokens} かかります。`,
  moreSavings: 'クライアントとプロジェクトごとの節約',
  problems: '対応が必要なもの',
  noProblems: '対応が必要なものはありません。',
  remedies: { review: '変更を確認', failures: '失敗したリクエストを表示' },
  start: 'はじめに',
  startLead: '最初の検索まで 4 ステップ。',
  steps: {
    server: { title: 'サーバーを追加', text: 'Claude、Cursor、VS Code の設定を貼り付けます。' },
    project: { title: 'プロジェクトを設定', text: '見せ方と検索方法を選びます。' },
    token: { title: 'トークンを作成', text: 'エージェントごとに一つ。' },
    connect: { title: 'エージェントを接続', text: 'クライアント用の設定をコピーします。' },
  },
  done: '完了',
}
