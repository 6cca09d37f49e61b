/* The rows of one pass of Box2D or Box3D, for the capture header (docs/capture.md).
 *
 * A row keeps the addresses of the engine's accumulated impulses, so that they are read before and
 * after the pass. The engines apply the warm start to the velocities before a pass, so the free
 * velocity is v - M^-1 J^T lambda with the velocities and impulses at the start of the pass. */
#ifndef DELASSUS_BOX_ROWS_H
#define DELASSUS_BOX_ROWS_H
#include "delassus_capture.h"

/* Where the impulse of a row is: a weighted sum of at most three of the engine's numbers. */
typedef struct {
    long row;
    int parts;
    const float *from[3];
    double weight[3];
} rows_source;

typedef struct {
    delassus_capture capture;
    rows_source *sources;
    size_t count, room;
    int active, lost; /* lost: something in the pass cannot be captured */
} rows_pass;

static void rows_refuse(rows_pass *p, const char *what) {
    if (!p->lost) fprintf(stderr, "not captured: %s\n", what);
    p->lost = 1;
}

static double rows_impulse(const rows_source *s) {
    double sum = 0;
    for (int i = 0; i < s->parts; ++i) sum += s->weight[i] * (double)*s->from[i];
    return sum;
}

/* Sum over both bodies of x M^-1 y. */
static double rows_product(const rows_pass *p, const long body[2], double x[2][6], double y[2][6]) {
    double sum = 0;
    for (int k = 0; k < 2; ++k) {
        const dls_body *b = p->capture.body + body[k];
        for (int i = 0; i < 3; ++i) {
            sum += x[k][i] * b->inverse_mass[i] * y[k][i];
            for (int j = 0; j < 3; ++j) sum += x[k][3 + i] * b->inertia[3 * i + j] * y[k][3 + j];
        }
    }
    return sum;
}

/* Adds a row with R = `softness` times its own J M^-1 J^T, and remembers where its impulse is. */
static long rows_add(rows_pass *p, long block, const long body[2], double j[2][6], double bias, double softness,
                     rows_source source) {
    const double compliance = softness * rows_product(p, body, j, j);
    if (p->count == p->room) {
        rows_source *more = (rows_source *)realloc(p->sources, (p->room = 2 * p->room + 64) * sizeof *more);
        if (!more) { rows_refuse(p, "no memory"); return -1; }
        p->sources = more;
    }
    source.row = delassus_row(&p->capture, block, body[0], j[0], body[1], j[1], bias, compliance, rows_impulse(&source), 0);
    p->sources[p->count++] = source;
    return source.row;
}

static rows_source rows_of(const float *impulse) {
    rows_source s = { 0, 1, { impulse, NULL, NULL }, { 1, 0, 0 } };
    return s;
}

/* Adds a block of one row between bounds. A row that moves nothing is left out: its impulse is 0. */
static void rows_bounds(rows_pass *p, const long body[2], double j[2][6], double lower, double upper, double bias,
                        double softness, const float *impulse, uint64_t feature) {
    if (rows_product(p, body, j, j) == 0) {
        if (*impulse != 0) rows_refuse(p, "a row without effect that has an impulse");
        return;
    }
    const long block = delassus_block(&p->capture, DELASSUS_BOUNDS, lower, upper, 0, feature);
    rows_add(p, block, body, j, bias, softness, rows_of(impulse));
}

/* Eigenvectors of a symmetric matrix of n <= 3 rows, as columns of q: Jacobi's rotations. */
static void rows_eigenvectors(int n, double k[3][3], double q[3][3]) {
    for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j) q[i][j] = i == j;
    for (int sweep = 0; sweep < 30; ++sweep) for (int a = 0; a < n; ++a) for (int b = a + 1; b < n; ++b) {
        if (k[a][b] == 0) continue;
        const double angle = 0.5 * atan2(2 * k[a][b], k[a][a] - k[b][b]), c = cos(angle), s = sin(angle);
        for (int i = 0; i < n; ++i) {
            const double x = k[i][a], y = k[i][b], u = q[i][a], v = q[i][b];
            k[i][a] = c * x + s * y; k[i][b] = c * y - s * x;
            q[i][a] = c * u + s * v; q[i][b] = c * v - s * u;
        }
        for (int i = 0; i < n; ++i) {
            const double x = k[a][i], y = k[b][i];
            k[a][i] = c * x + s * y; k[b][i] = c * y - s * x;
        }
        k[a][b] = k[b][a] = 0;
    }
}

/* Adds an equality block of n rows that the engine solves at once, with R = softness K, where K is
 * J M^-1 J^T of the block. Turned into the eigenvectors of K the rows are the same condition, and R
 * is diagonal. */
static void rows_equality(rows_pass *p, const long body[2], int n, double j[3][2][6], const double bias[3],
                          double softness, const float *const impulse[3], uint64_t feature) {
    double k[3][3] = { { 0 } }, q[3][3];
    for (int a = 0; a < n; ++a) for (int b = 0; b < n; ++b) k[a][b] = rows_product(p, body, j[a], j[b]);
    rows_eigenvectors(n, k, q);
    const long block = delassus_block(&p->capture, DELASSUS_EQUALITY, 0, 0, 0, feature);
    for (int a = 0; a < n; ++a) {
        double turned[2][6] = { { 0 } }, b = 0;
        rows_source source = { 0, n, { NULL, NULL, NULL }, { 0, 0, 0 } };
        for (int i = 0; i < n; ++i) {
            b += q[i][a] * bias[i];
            source.from[i] = impulse[i];
            source.weight[i] = q[i][a];
            for (int m = 0; m < 12; ++m) turned[m / 6][m % 6] += q[i][a] * j[i][m / 6][m % 6];
        }
        rows_add(p, block, body, turned, b, softness, source);
    }
}

/* Takes the impulses at the start of the pass out of the velocities, which have them. */
static void rows_start(rows_pass *p) {
    delassus_capture *c = &p->capture;
    for (size_t r = 0; r < c->rows; ++r) {
        const dls_row *row = c->row + r;
        const dls_block *block = c->block + row->block;
        for (int k = 0; k < block->bodies; ++k) {
            dls_body *b = c->body + block->body[k];
            for (int i = 0; i < 3; ++i) {
                b->velocity[i] -= b->inverse_mass[i] * row->j[k][i] * row->value[2];
                for (int l = 0; l < 3; ++l)
                    b->velocity[3 + i] -= b->inertia[3 * i + l] * row->j[k][3 + l] * row->value[2];
            }
        }
    }
}

/* Reads the impulses after the pass and writes the file. The caller has set the solved velocities.
 * Returns 1 if a file was written. */
static int rows_finish(rows_pass *p, const char *path, const char *name) {
    delassus_capture *c = &p->capture;
    int written = 0;
    for (size_t i = 0; i < p->count && !c->error; ++i)
        c->row[p->sources[i].row].value[3] = rows_impulse(p->sources + i);
    c->solved = 1;
    if (!p->lost && !(written = delassus_write(c, path, name) == DELASSUS_OK)) fprintf(stderr, "%s: %s\n", path, c->text);
    delassus_end(c);
    free(p->sources);
    memset(p, 0, sizeof *p);
    return written;
}

/* Softness of the engines: each step of an accumulated impulse x is
 * -(massScale (v + bias) + impulseScale K x) / K, so R / K is the ratio of the two scales. */
static double rows_softness(double mass_scale, double impulse_scale) { return impulse_scale / mass_scale; }

/* One side of a limit: c is the distance to it. An open limit is rigid and may close within a
 * substep; a violated one has a bias and is soft in the bias pass only. */
static void rows_limit(rows_pass *p, const long body[2], double j[2][6], double c, double inverse_step, int use_bias,
                       const float softness[3], const float *impulse, uint64_t feature) {
    const int soft = use_bias && c <= 0;
    const double bias = c > 0 ? c * inverse_step : soft ? softness[0] * c : 0;
    rows_bounds(p, body, j, 0, HUGE_VAL, bias, soft ? rows_softness(softness[1], softness[2]) : 0, impulse, feature);
}
#endif
