// Makes prices.json from the list prices in the npm package @pydantic/genai-prices, LICENSE-genai-prices with its license, and
// testdata/calls.json.gz with what the package itself computes for calls of each model, and prints what differs from the list before.
//
//   node build.mjs DIRECTORY DATE BEFORE
//
// DATE is when the version of the package was published: the package doesn't say. BEFORE is the directory of the list before, with
// corrections.json: prices that are newer than the list, and models and charges that it doesn't have.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { calcPrice } from '@pydantic/genai-prices'

const [directory, date, previous] = process.argv.slice(2)
const before = JSON.parse(readFileSync(join(previous, 'prices.json'), 'utf8'))
const corrections = JSON.parse(readFileSync(join(previous, 'corrections.json'), 'utf8'))
const root = join(dirname(createRequire(import.meta.url).resolve('@pydantic/genai-prices')), '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

// The package exports no list of its providers: the first array in its module is that list.
const module = readFileSync(join(root, 'dist/index.js'), 'utf8')
const literal = /^const \w+ = (\[\n[^]*?\n\])[,;]/.exec(module)
if (!literal) throw new Error('the module of the package begins with no list of providers')
const providers = new Function('return ' + literal[1])()

// kinds are the keys of the prices that are kept, each with the kind of token in usage reports. All prices are per million.
const kinds = {
  input: {
    cache_read_mtok: 'cache_read', cache_write_mtok: 'cache_creation', cache_write_5m_mtok: 'ephemeral_5m_input_tokens',
    cache_write_1h_mtok: 'ephemeral_1h_input_tokens', input_audio_mtok: 'audio', input_image_mtok: 'image', input_video_mtok: 'video',
    input_text_mtok: 'text', cache_audio_read_mtok: 'audio_cache_read', cache_image_read_mtok: 'image_cache_read',
    cache_video_read_mtok: 'video_cache_read',
  },
  output: {
    output_reasoning_mtok: 'reasoning', output_audio_mtok: 'audio', output_image_mtok: 'image', output_video_mtok: 'video',
    output_text_mtok: 'text', output_citation_mtok: 'citation',
  },
}
// units are the keys of other prices that are kept, each with the unit and how many a price is for.
const units = {
  web_searches_kcount: ['web_searches', 1e3], storage_searches_kcount: ['file_searches', 1e3], rerank_searches_kcount: ['rerank_searches', 1e3],
  code_executions_kcount: ['code_executions', 1e3], input_document_kpages: ['pages', 1e3], input_audio_hours: ['audio_seconds', 3600],
}
// No usage report has these.
const others = /^(social_searches|input_text_messages)_kcount$|_hours$|_kpages$|_mchars$|_gpixels$/

// millions returns the price of a million.
const millions = (price, count) => Number((price * 1e6 / count).toPrecision(12))

function convertPrices(prices, where) {
  const kept = {}
  for (const [key, price] of Object.entries(prices)) {
    const details = Object.entries(kinds).find(([, names]) => names[key])
    if (key === 'input_mtok') kept.input = price
    else if (key === 'output_mtok') kept.output = price
    else if (key === 'requests_kcount') kept.request = millions(price, 1e3)
    else if (units[key]) (kept.units ??= {})[units[key][0]] = millions(price, units[key][1])
    else if (details) (kept[details[0] + '_details'] ??= {})[details[1][key]] = price
    else if (!others.test(key)) throw new Error(`${where}: ${key} is a price of an unknown kind`)
  }
  if (Object.keys(kept).length > 0) return kept
  // Nothing at all is free of charge; what costs by other units has no price.
  return Object.keys(prices).length === 0 ? { input: 0, output: 0 } : {}
}

// OpenAI's prices of long prompts are those of more than 272,000 tokens; for some models, the package has them one token too early.
const starts = (prices) => JSON.parse(JSON.stringify(prices).replaceAll('"start":271999', '"start":272000'))

// minute returns the minute of the day of a time in UTC, such as 16:30:00Z.
function minute(time, where) {
  const [, hours, minutes] = /^(\d\d):(\d\d):00Z$/.exec(time) ?? []
  if (!hours) throw new Error(`${where}: ${time} is no minute in UTC`)
  return hours * 60 + +minutes
}

function convertConditions(model, where) {
  if (!Array.isArray(model.prices)) return [convertPrices(model.prices, where)]
  return model.prices.map(({ constraint, prices }) => {
    const kept = convertPrices(prices, where)
    if (constraint?.type === 'start_date') kept.from = constraint.start_date + 'T00:00:00Z'
    else if (constraint?.type === 'time_of_date') kept.daily = [minute(constraint.start_time, where), minute(constraint.end_time, where)]
    else if (constraint) throw new Error(`${where}: the constraint ${JSON.stringify(constraint)} is unknown`)
    return kept
  })
}

// convertMatch rewrites ^(?!A)B, because RE2 has no lookahead, and refuses any other.
function convertMatch(match, where) {
  const [[how, value]] = Object.entries(match)
  if (how === 'or' || how === 'and') return { [how]: value.map((each) => convertMatch(each, where)) }
  if (how !== 'regex') return { [how]: value.toLowerCase() }
  const ahead = /^\^\(\?!((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)(.*)$/.exec(value)
  const parts = ahead ? [{ not: { regex: '^' + ahead[1] } }, ...(ahead[2] ? [{ regex: '^' + ahead[2] }] : [])] : [{ regex: value }]
  if (parts.some((part) => /\(\?[=!<]|\\[1-9]/.test(JSON.stringify(part)))) throw new Error(`${where}: RE2 has no ${value}`)
  return parts.length > 1 ? { and: parts } : parts[0]
}

// correct adds newer prices to those of a model until the list has them, and charges to those of tokens.
function correct(provider, name, listed) {
  const prices = [...listed]
  for (const newer of corrections.prices.filter((each) => each.provider === provider && each.model === name)) {
    if (listed.every(({ from }) => !from || from < newer.date)) prices.push(...newer.prices)
    else console.log(`${provider}/${name}: the list has prices from ${newer.date} on, so that corrections.json needs none`)
  }
  const charges = corrections.charges.filter((each) => each.provider === provider && new RegExp(each.models).test(name))
  for (const terms of prices) {
    if (!(terms.input?.base ?? terms.input)) continue
    for (const { units = {}, multipliers } of charges) {
      for (const [unit, price] of Object.entries(units)) terms.units = { [unit]: millions(price, 1), ...terms.units }
      if (multipliers) terms.multipliers = { ...terms.multipliers, ...multipliers }
    }
  }
  return prices
}

const converted = providers.map((provider) => ({
  id: provider.id,
  ...(provider.provider_match && { provider_match: convertMatch(provider.provider_match, provider.id) }),
  ...(provider.model_match && { model_match: convertMatch(provider.model_match, provider.id) }),
  ...(provider.fallback_model_providers && { fallback: provider.fallback_model_providers }),
  models: [
    ...provider.models.map((model) => {
      const where = `${provider.id}/${model.id}`
      return { id: model.id, match: convertMatch(model.match, where), prices: correct(provider.id, model.id, starts(convertConditions(model, where))) }
    }),
    ...corrections.models.filter((each) => each.provider === provider.id).map(({ model, match, prices }) => ({ id: model, match, prices })),
  ],
}))

// One line for each model shows what a new version changes.
const lines = converted.map(({ models, ...provider }) =>
  `${JSON.stringify(provider).slice(0, -1)},"models":[\n${models.map((model) => JSON.stringify(model)).join(',\n')}\n]}`)
const license = readFileSync(join(root, 'LICENSE'), 'utf8')
writeFileSync(join(directory, 'LICENSE-genai-prices'), license)
const head = { source: '@pydantic/genai-prices', version, date, license }
writeFileSync(join(directory, 'prices.json'), `${JSON.stringify(head).slice(0, -1)},"providers":[\n${lines.join(',\n')}\n]}\n`)

// names returns names of models that the match accepts.
function names(match, id) {
  const [[how, value]] = Object.entries(match)
  if (how === 'or') return value.flatMap((each) => names(each, id))
  return [id, how === 'equals' ? value : how === 'starts_with' ? value + '-20250101' : how === 'contains' || how === 'ends_with' ? 'x-' + value : id]
}

// calls are the provider, the model and the time of calls, their tokens, and what they cost: input, output, and all with the price of
// the request. A call without a price has no costs.
const calls = []
const add = (provider, name, at, usage) => {
  const found = calcPrice(usage, name, { providerId: provider, timestamp: new Date(at) })
  const priced = found && ['input_mtok', 'output_mtok', 'requests_kcount', ...Object.keys(units)].some((key) => key in found.model_price)
  const free = found && Object.keys(found.model_price).length === 0
  const costs = priced || free ? [found.input_price, found.output_price, found.total_price] : []
  calls.push([provider ?? '', name, at, usage, ...costs])
}
const dates = ['2025-03-01T12:00:00Z', '2026-09-30T02:00:00Z', '2026-09-30T20:00:00Z', '2027-02-01T09:00:00Z']
for (const provider of providers) {
  for (const model of provider.models) {
    const text = JSON.stringify(model.prices)
    const moments = Array.isArray(model.prices) ? dates : dates.slice(-1)
    const sizes = text.includes('tiers') ? [128000, 128001, 200000, 200001, 272000, 272001, 600000] : [1000000]
    const early = text.includes('"start":271999')
    for (const at of moments) {
      for (const size of sizes) if (!early || size !== 272000) add(provider.id, model.id, at, { input_tokens: size, output_tokens: 1000 })
    }
    if (Object.keys(units).some((key) => text.includes(key))) {
      const counts = { input_tokens: 1000, output_tokens: 1000 }
      if (text.includes('"web_searches_kcount')) counts.web_searches = 3
      if (text.includes('"storage_searches_kcount')) counts.storage_searches = 2
      add(provider.id, model.id, dates[3], counts)
    }
    if (text.includes('cache_') || text.includes('audio_mtok') || text.includes('image_mtok') || text.includes('reasoning')) {
      const parts = { input_tokens: 100000, output_tokens: 10000 }
      if (text.includes('"cache_read_mtok')) parts.cache_read_tokens = 10000
      if (text.includes('"cache_write_mtok')) parts.cache_write_tokens = 20000
      if (text.includes('"cache_write_1h_mtok')) parts.cache_write_1h_tokens = 5000
      if (text.includes('"output_reasoning_mtok')) parts.output_reasoning_tokens = 3000
      if (text.includes('"input_audio_mtok')) parts.input_audio_tokens = 7000
      if (text.includes('"output_audio_mtok')) parts.output_audio_tokens = 2000
      if (text.includes('"output_image_mtok')) parts.output_image_tokens = 2500
      if (text.includes('"input_image_mtok')) parts.input_image_tokens = 6000
      if (text.includes('"cache_audio_read_mtok')) parts.cache_audio_read_tokens = 1500
      if (text.includes('"cache_image_read_mtok')) parts.cache_image_read_tokens = 1200
      add(provider.id, model.id, dates[3], parts)
    }
    for (const name of new Set(names(model.match, model.id))) add(provider.id, name, dates[3], { input_tokens: 1000, output_tokens: 1000 })
    add(undefined, model.id, dates[3], { input_tokens: 1000, output_tokens: 1000 })
  }
}
mkdirSync(join(directory, 'testdata'), { recursive: true })
writeFileSync(join(directory, 'testdata/calls.json.gz'), gzipSync(`[\n${calls.map((call) => JSON.stringify(call)).join(',\n')}\n]\n`, { level: 9 }))

// What has changed, by model.
const byModel = (list) => new Map(list.flatMap((p) => p.models.map((model) => [`${p.id}/${model.id}`, JSON.stringify(model.prices)])))
const [old, now] = [byModel(before.providers), byModel(converted)]
for (const name of new Set([...old.keys(), ...now.keys()])) {
  const was = old.get(name) ?? 'nothing', is = now.get(name) ?? 'nothing'
  if (was !== is) console.log(`${name}: ${was} → ${is}`)
}
console.log(`${before.version} → ${version}: ${providers.length} providers, ${converted.reduce((n, p) => n + p.models.length, 0)} models, ${calls.length} calls`)
