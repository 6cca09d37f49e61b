//! Spans of tasks: as the shader reads them, and how long its loops over them are.

use delassus_solver_jacobi::kernels::coloured::{TaskOrder, TaskSpan};
use delassus_solver_jacobi::pack::Pack;

use crate::device::Device;
use crate::loops;

/// A span in the layout of the shader.
pub(super) fn words_of(span: &TaskSpan) -> [u32; 4] {
    [span.first, span.count, span.serial.into(), 0]
}

/// The spans of an order; what one thread solves is cut into what it comes to the end of.
pub(super) fn spans_of(device: &Device, pack: &Pack<f32>, order: &TaskOrder) -> Vec<TaskSpan> {
    let turns = loops::of_tasks(pack, order);
    let mut spans = Vec::with_capacity(order.spans.len());
    for span in &order.spans {
        if !span.serial {
            spans.push(*span);
            continue;
        }
        let mut first = span.first;
        let own = &turns[first as usize..(first + span.count) as usize];
        for tasks in loops::cut(device, own) {
            // tasks that a u32 counts
            let count = u32::try_from(tasks).unwrap_or(u32::MAX);
            spans.push(TaskSpan {
                first,
                count,
                serial: true,
            });
            first += count;
        }
    }
    spans
}

/// Turns of the loops of one fused sweep.
pub(super) fn turns_of(
    pack: &Pack<f32>,
    order: &TaskOrder,
    spans: &[TaskSpan],
    workgroup: u32,
) -> usize {
    let turns = loops::of_tasks(pack, order);
    let of = |span: &TaskSpan| {
        let own = &turns[span.first as usize..(span.first + span.count) as usize];
        loops::of_span(own, span.serial, workgroup as usize)
    };
    1 + spans.iter().map(of).sum::<usize>()
}
