// SPDX-License-Identifier: GPL-2.0-only
/*
 * compute_core.c - integer code as embedded programs have it: lists, small matrices, a state machine
 * over text, and CRC-32 of all that
 *
 * A unit works on one block of 2 KiB and leaves it as it was, so a block's checksum is the same each
 * time: that is what verifies it.
 */
#include <string.h>
#include <sys/mman.h>

#include "task/compute.h"

#define NODES	 64
#define SEARCHES 8
#define SIDE	 9
#define TEXT	 882
#define NO_NODE	 UINT16_MAX

struct core_node {
	uint16_t next;
	int16_t key;
	int16_t place; /* in the list as it was made: unique */
	uint16_t hits;
};

struct core_block {
	struct core_node nodes[NODES];
	int16_t a[SIDE][SIDE], b[SIDE][SIDE];
	int32_t c[SIDE][SIDE];
	uint16_t head;
	char text[TEXT];
	char unused[4];
};

_Static_assert(sizeof(struct core_block) == 2048, "a block has 2 KiB");

static uint32_t crc(uint32_t sum, uint32_t word, int bits)
{
	sum ^= word;
	for (int i = 0; i < bits; i++)
		sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
	return sum;
}

/* ---- the list ---- */

static int order_of(const struct core_node *node, bool by_key)
{
	return by_key ? node->key : node->place;
}

static uint16_t merge(struct core_node *nodes, uint16_t a, uint16_t b, bool by_key)
{
	uint16_t head = NO_NODE, *link = &head;

	while (a != NO_NODE && b != NO_NODE) {
		uint16_t *from =
			order_of(&nodes[b], by_key) < order_of(&nodes[a], by_key) ? &b : &a;

		*link = *from;
		link = &nodes[*from].next;
		*from = *link;
	}
	*link = a != NO_NODE ? a : b;
	return head;
}

/* bottom-up: list i of `sorted` has 2^i nodes or none */
static uint16_t sort(struct core_node *nodes, uint16_t head, bool by_key)
{
	uint16_t sorted[7] = { NO_NODE, NO_NODE, NO_NODE, NO_NODE, NO_NODE, NO_NODE, NO_NODE };
	uint16_t result = NO_NODE;

	while (head != NO_NODE) {
		uint16_t one = head;
		int i;

		head = nodes[one].next;
		nodes[one].next = NO_NODE;
		for (i = 0; i < 6 && sorted[i] != NO_NODE; i++) {
			one = merge(nodes, sorted[i], one, by_key);
			sorted[i] = NO_NODE;
		}
		sorted[i] = sorted[i] == NO_NODE ? one : merge(nodes, sorted[i], one, by_key);
	}
	for (int i = 0; i < 7; i++)
		result = merge(nodes, sorted[i], result, by_key);
	return result;
}

static uint16_t reverse(struct core_node *nodes, uint16_t head)
{
	uint16_t result = NO_NODE;

	while (head != NO_NODE) {
		uint16_t next = nodes[head].next;

		nodes[head].next = result;
		result = head;
		head = next;
	}
	return result;
}

static int find(const struct core_node *nodes, uint16_t head, int16_t key)
{
	int steps = 0;

	for (; head != NO_NODE && nodes[head].key != key; head = nodes[head].next)
		steps++;
	return steps;
}

static uint32_t list_work(struct core_block *block, uint32_t sum)
{
	struct core_node *nodes = block->nodes;

	for (int i = 0; i < SEARCHES; i++)
		sum = crc(sum, find(nodes, block->head, nodes[i * 7].key), 8);
	block->head = sort(nodes, block->head, true);
	for (uint16_t at = block->head; at != NO_NODE; at = nodes[at].next)
		sum = crc(sum, nodes[at].place, 8);
	block->head = reverse(nodes, block->head);
	block->head = sort(nodes, block->head, false);
	return crc(sum, nodes[block->head].key, 16);
}

/* ---- matrices ---- */

static uint32_t matrix_work(struct core_block *block, uint32_t sum)
{
	int16_t more = (int16_t)(sum & 0xff);
	int32_t trace = 0;

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			block->a[i][j] = (int16_t)(block->a[i][j] + more);
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			uint32_t cell = 0;

			for (int k = 0; k < SIDE; k++) {
				uint32_t term = (uint32_t)(block->a[i][k] * block->b[k][j]);

				cell += (term >> 2 & 0xf) * (term >> 5 & 0x7f) + term;
			}
			block->c[i][j] = (int32_t)cell;
		}
	for (int i = 0; i < SIDE; i++) {
		trace ^= block->c[i][i];
		sum = crc(sum, (uint32_t)block->c[i][SIDE - 1 - i], 16);
		for (int j = 0; j < SIDE; j++)
			block->a[i][j] = (int16_t)(block->a[i][j] - more);
	}
	return crc(sum, (uint32_t)trace, 32);
}

/* ---- the state machine: numbers in a text, separated by commas ---- */

enum state {
	STATE_START,
	STATE_SIGN,
	STATE_INTEGER,
	STATE_FRACTION,
	STATE_EXPONENT,
	STATE_EXPONENT_SIGN,
	STATE_EXPONENT_DIGITS,
	STATE_INVALID,
	N_STATES
};

static enum state next_state(enum state state, char c)
{
	bool digit = c >= '0' && c <= '9', sign = c == '+' || c == '-';

	switch (state) {
	case STATE_START:
		return digit ? STATE_INTEGER : sign ? STATE_SIGN : STATE_INVALID;
	case STATE_SIGN:
		return digit ? STATE_INTEGER : STATE_INVALID;
	case STATE_INTEGER:
		if (c == '.')
			return STATE_FRACTION;
		return digit ? STATE_INTEGER : c == 'e' ? STATE_EXPONENT : STATE_INVALID;
	case STATE_FRACTION:
		return digit ? STATE_FRACTION : c == 'e' ? STATE_EXPONENT : STATE_INVALID;
	case STATE_EXPONENT:
		return digit ? STATE_EXPONENT_DIGITS : sign ? STATE_EXPONENT_SIGN : STATE_INVALID;
	case STATE_EXPONENT_SIGN:
	case STATE_EXPONENT_DIGITS:
		return digit ? STATE_EXPONENT_DIGITS : STATE_INVALID;
	default:
		return STATE_INVALID;
	}
}

static void scan(const char *text, uint32_t counts[N_STATES])
{
	enum state state = STATE_START;

	for (int i = 0; i < TEXT; i++) {
		if (text[i] == ',') {
			counts[state]++;
			state = STATE_START;
		} else {
			state = next_state(state, text[i]);
		}
	}
	counts[state]++;
}

static void spoil(char *text)
{
	for (int i = 0; i < TEXT; i += 23)
		text[i] ^= 0x15;
}

/* the text as it is, spoilt, and as it was again */
static uint32_t state_work(struct core_block *block, uint32_t sum)
{
	uint32_t counts[N_STATES] = { 0 };

	scan(block->text, counts);
	spoil(block->text);
	scan(block->text, counts);
	spoil(block->text);
	for (int i = 0; i < N_STATES; i++)
		sum = crc(sum, counts[i], 16);
	return sum;
}

/* ---- blocks ---- */

static void make_text(char *text, uint64_t *random)
{
	static const char *const tokens[] = { "17,", "-405.25,", "+3e8,", "6.02e+23,",
					      "0.,", "1.5e-,",	 "9x,",	  "12345678,",
					      "-,",  "77.125,",	 "e5,",	  "+0.5e1," };
	const char *from = "";

	for (int i = 0; i < TEXT; i++) {
		if (!*from)
			from = tokens[compute_random(random) % 12];
		text[i] = *from++;
	}
}

static void make_block(struct core_block *block, uint64_t number)
{
	uint64_t random = number * 0x2545f4914f6cdd1d + 1;
	uint16_t order[NODES];

	for (int i = 0; i < NODES; i++) {
		int other = (int)(compute_random(&random) % (i + 1));

		order[i] = order[other];
		order[other] = (uint16_t)i;
	}
	for (int i = 0; i < NODES; i++) {
		struct core_node *node = &block->nodes[order[i]];

		node->next = i + 1 < NODES ? order[i + 1] : NO_NODE;
		node->place = (int16_t)i;
		node->key = (int16_t)(compute_random(&random) % 1000);
	}
	block->head = order[0];
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			block->a[i][j] = (int16_t)(compute_random(&random) % 256 - 128);
			block->b[i][j] = (int16_t)(compute_random(&random) % 256 - 128);
		}
	make_text(block->text, &random);
}

static uint32_t block_work(struct core_block *block)
{
	return state_work(block, matrix_work(block, list_work(block, 0xffffffff)));
}

static size_t common_divisor(size_t a, size_t b)
{
	while (b) {
		size_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

int compute_core_start(struct compute_core *state, size_t bytes)
{
	size_t n = bytes / sizeof(struct core_block);

	*state = (struct compute_core){ .n = n ? n : 1 };
	state->bytes = state->n * (sizeof(struct core_block) + sizeof(uint32_t));
	state->blocks = compute_map(state->bytes);
	if (!state->blocks)
		return -1;
	state->expected = (uint32_t *)(state->blocks + state->n);
	state->step = state->n * 5 / 8 + 1;
	while (common_divisor(state->step, state->n) != 1)
		state->step++;
	for (size_t i = 0; i < state->n; i++) {
		make_block(&state->blocks[i], i);
		state->expected[i] = block_work(&state->blocks[i]);
	}
	return 0;
}

void compute_core_unit(struct compute_core *state)
{
	size_t number = state->unit % state->n * state->step % state->n;
	uint32_t sum = block_work(&state->blocks[number]);

	state->wrong += sum != state->expected[number];
	state->sum += (uint64_t)sum * (2 * number + 1);
	state->unit++;
	state->done++;
}

void compute_core_end(struct compute_core *state)
{
	munmap(state->blocks, state->bytes);
}
